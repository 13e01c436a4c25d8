package dev.weir.testkit.model;

import dev.weir.FixedWindow;
import dev.weir.algorithm.Resolution;

/** The fixed window: it begins with the first charge and ends one period later. */
final class WindowBudget extends Budget {
    private final long limit;
    private final long period;
    private boolean begun;
    private long start;
    private long used;

    WindowBudget(FixedWindow policy, Resolution resolution) {
        super(policy);
        this.limit = policy.limit();
        this.period = policy.period().toNanos() / resolution.nanosPerTick();
    }

    @Override
    long available(long now) {
        end(now);
        return limit - used;
    }

    @Override
    long retryAfter(long cost, long now) {
        return fits(cost, now) ? 0 : start + period - now;
    }

    @Override
    long resetAfter(long now) {
        end(now);
        return begun ? start + period - now : 0;
    }

    @Override
    void spend(long cost, long now) {
        end(now);
        if (!begun) {
            begun = true;
            start = now;
        }
        used = cost > 2 * limit - used ? 2 * limit : used + cost;
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        end(now);
        if (begun && spentAt >= start) {
            used = Math.max(0, used - cost);
            begun = used > 0;
        }
    }

    private void end(long now) {
        if (begun && now - start >= period) {
            begun = false;
            used = 0;
        }
    }
}
