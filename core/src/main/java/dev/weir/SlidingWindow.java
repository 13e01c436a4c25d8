package dev.weir;

import java.time.Duration;

/**
 * A limit on any stretch of time: at no instant has more than {@code limit} been spent within the last {@code period}.
 *
 * <p>Up to {@link #EXACT_LIMIT} every charge is kept with its own time, and decisions are exact. Above it, charges are
 * counted in {@link #SEGMENTS} segments of the period, each charge as if it had come at its segment's end. So never
 * more is admitted than the exact form would admit, and the memory is bounded. A charge may be refused for at most
 * {@link #earlyRefusal()} longer than by the exact form.
 *
 * @param limit the most that any stretch of the period's length may hold, 1 to {@link Policy#MAX_COUNT}
 * @param period the length of the window, a millisecond to a hundred years
 */
public record SlidingWindow(long limit, Duration period) implements Policy {
    /** The largest limit for which an exact log is kept. */
    public static final long EXACT_LIMIT = 500;

    /** The number of segments of a larger limit's window. */
    public static final int SEGMENTS = 100;

    public SlidingWindow {
        Require.count("limit", limit);
        Require.period(period);
    }

    public static SlidingWindow of(long limit, Duration period) {
        return new SlidingWindow(limit, period);
    }

    @Override
    public long capacity() {
        return limit;
    }

    /** By how much a refusal may outlast the exact form's; zero when this window is exact. */
    public Duration earlyRefusal() {
        if (limit <= EXACT_LIMIT) {
            return Duration.ZERO;
        }
        return period.plusNanos(SEGMENTS - 1L).dividedBy(SEGMENTS);
    }

    @Override
    public int hashCode() {
        return Require.hash(3, limit, 0, period);
    }
}
