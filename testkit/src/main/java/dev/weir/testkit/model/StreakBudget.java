package dev.weir.testkit.model;

import dev.weir.Streak;
import dev.weir.algorithm.Resolution;

/** The streak: a count that is kept while charges continue, and cleared after a quiet time. */
final class StreakBudget extends Budget {
    private final long quiet;
    private long count;
    private long first;
    private long last;

    StreakBudget(Streak policy, Resolution resolution) {
        super(policy);
        this.quiet = policy.quiet().toNanos() / resolution.nanosPerTick();
    }

    @Override
    long available(long now) {
        end(now);
        return policy().capacity() - count;
    }

    @Override
    long retryAfter(long cost, long now) {
        return fits(cost, now) ? 0 : last + quiet - now;
    }

    @Override
    long resetAfter(long now) {
        end(now);
        return count == 0 ? 0 : last + quiet - now;
    }

    @Override
    void spend(long cost, long now) {
        end(now);
        first = count == 0 ? now : first;
        last = now;
        count = cost > policy().capacity() - count ? policy().capacity() : count + cost;
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        end(now);
        if (count > 0 && spentAt >= first) {
            count = Math.max(0, count - cost);
        }
    }

    private void end(long now) {
        if (now - last >= quiet) {
            count = 0;
        }
    }
}
