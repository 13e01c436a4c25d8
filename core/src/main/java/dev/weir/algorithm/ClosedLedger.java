package dev.weir.algorithm;

/** The ledger of a limit of zero: nothing can be spent, so it has no state. */
final class ClosedLedger extends Ledger {
    @Override
    public long available(long now) {
        return 0;
    }

    @Override
    public long retryAfter(long cost, long now) {
        throw new IllegalArgumentException("a closed limit never admits");
    }

    @Override
    public long resetAfter(long now) {
        return 0;
    }

    @Override
    public void spend(long cost, long now) {}

    @Override
    public void giveBack(long cost, long spentAt, long now) {}

    @Override
    public long[] state() {
        return new long[0];
    }
}
