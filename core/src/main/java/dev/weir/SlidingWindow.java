package dev.weir;

import java.time.Duration;

/**
 * At no instant does more than {@code limit} lie within the last {@code period}.
 *
 * <p>Up to {@link #EXACT_LIMIT} every charge is remembered with its own time and the answer is exact. Above it, charges
 * are remembered in {@link #SEGMENTS} segments of the period, each charge as if it had come at its segment's end: never
 * more is admitted than the exact form would admit, the memory is bounded, and a charge may be refused for at most
 * {@link #earlyRefusal()} longer than the exact form would refuse it.
 *
 * @param limit what any stretch of the period's length may hold, 1 to {@link Policy#MAX_COUNT}
 * @param period the length of the window, a millisecond to a hundred years
 */
public record SlidingWindow(long limit, Duration period) implements Policy {
    /** The largest limit that is kept by an exact log. */
    public static final long EXACT_LIMIT = 500;

    /** Into how many segments a larger limit's window is divided. */
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

    /** By how much a refusal may last longer than in the exact form; zero when this window is exact. */
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
