package dev.weir.algorithm;

/** A fixed window as a start and a used count, for any limit. */
final class FixedWindowLedger extends Ledger {
    private final FixedWindowMath math;
    private long start;
    /** Zero means that no window is open. */
    private long used;

    FixedWindowLedger(FixedWindowMath math, long start, long used) {
        this.math = math;
        this.start = start;
        this.used = used;
    }

    @Override
    public long available(long now) {
        return math.available(counted(now));
    }

    @Override
    public long retryAfter(long cost, long now) {
        return math.ticksLeft(start, now);
    }

    @Override
    public long resetAfter(long now) {
        return counted(now) == 0 ? 0 : math.ticksLeft(start, now);
    }

    @Override
    public void spend(long cost, long now) {
        long counted = counted(now);
        start = counted == 0 ? now : Math.min(start, now);
        used = math.spent(counted, cost);
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        if (counted(now) > 0 && spentAt >= start) {
            start = Math.min(start, now);
            used = Math.max(0, used - cost);
        }
    }

    @Override
    public long[] state() {
        return new long[] {start, used};
    }

    private long counted(long now) {
        return math.isLive(start, now) ? used : 0;
    }
}
