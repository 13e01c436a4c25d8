package dev.weir.algorithm;

import dev.weir.Streak;

/**
 * The ledger of a streak.
 *
 * <p><b>Model.</b> A count and the times of the first and the last charge. The count is valid while {@code now - last <
 * quiet}; a charge adds to it, or restarts it. A clock that stepped back counts as standing still.
 */
final class StreakLedger extends Ledger {
    private final Streak policy;
    private final long quiet;
    private long count;
    private long first;
    private long last;

    StreakLedger(Streak policy, Resolution resolution, long count, long last, long first) {
        this.policy = policy;
        this.count = count;
        this.last = last;
        this.first = first;
        this.quiet = policy.quiet().toNanos() / resolution.nanosPerTick();
    }

    @Override
    public long available(long now) {
        return policy.capacity() - countAt(now);
    }

    @Override
    public long retryAfter(long cost, long now) {
        return resetAfter(now);
    }

    @Override
    public long resetAfter(long now) {
        return countAt(now) == 0 ? 0 : Math.min(last, now) + quiet - now;
    }

    @Override
    public void spend(long cost, long now) {
        long before = countAt(now);
        first = before == 0 ? now : first;
        last = now;
        count = Math.min(policy.capacity(), before + Math.min(cost, policy.capacity()));
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        if (spentAt >= first) {
            count = Math.max(0, countAt(now) - cost);
        }
    }

    @Override
    public long[] state() {
        return new long[] {count, last, first};
    }

    private long countAt(long now) {
        return now - last < quiet ? count : 0;
    }
}
