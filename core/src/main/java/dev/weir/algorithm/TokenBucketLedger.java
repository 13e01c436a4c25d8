package dev.weir.algorithm;

/** A token bucket as a deficit and the time for which it was computed, for any rate that the math holds. */
final class TokenBucketLedger extends Ledger {
    private final TokenBucketMath math;
    private long deficit;
    private long at;

    TokenBucketLedger(TokenBucketMath math, long deficit, long at) {
        this.math = math;
        this.deficit = deficit;
        this.at = at;
    }

    @Override
    public long available(long now) {
        return math.availableAt(deficitAt(now));
    }

    @Override
    public long retryAfter(long cost, long now) {
        return math.retryTicks(deficitAt(now), cost);
    }

    @Override
    public long resetAfter(long now) {
        return math.resetTicks(deficitAt(now));
    }

    @Override
    public void spend(long cost, long now) {
        deficit = math.spent(deficitAt(now), cost);
        at = now;
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        deficit = math.returned(deficitAt(now), cost);
        at = now;
    }

    @Override
    public long[] state() {
        return new long[] {deficit, at};
    }

    private long deficitAt(long now) {
        return math.refilled(deficit, now - at);
    }
}
