package dev.weir;

import java.time.Duration;

/**
 * A quota that resets in full one period after its window began; a window begins with its first charge.
 *
 * @param limit the quota of one window, 1 to {@link Policy#MAX_COUNT}
 * @param period how long a window lasts, a millisecond to a hundred years
 */
public record FixedWindow(long limit, Duration period) implements Policy {
    public FixedWindow {
        Require.count("limit", limit);
        Require.period(period);
    }

    public static FixedWindow of(long limit, Duration period) {
        return new FixedWindow(limit, period);
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public int hashCode() {
        return Require.hash(2, limit, 0, period);
    }
}
