package dev.weir.testkit.model;

import dev.weir.CalendarWindow;
import dev.weir.Policy;
import dev.weir.algorithm.Resolution;
import java.time.Duration;

/**
 * A time as a store sees it: on its own clock, which policies count by, and on the wall, which calendars count by.
 *
 * @param nanos nanoseconds since the store's origin, which never go back
 * @param wallNanos nanoseconds since 1970 on the wall, which may be set anywhere
 */
public record Moment(long nanos, long wallNanos) {

    /** The tick in which this moment lies, for a policy that is kept on that resolution. */
    public long ticks(Policy policy, Resolution resolution) {
        return policy instanceof CalendarWindow
                ? Math.floorDiv(wallNanos, 1_000_000)
                : Math.floorDiv(nanos, resolution.nanosPerTick());
    }

    /** So much later. */
    public Moment plus(Duration by) {
        return new Moment(Math.addExact(nanos, by.toNanos()), wallNanos + by.toNanos());
    }

    /** The same with another time on the wall, later or (with a negative duration) earlier. */
    public Moment plusOnTheWall(Duration by) {
        return new Moment(nanos, Math.addExact(wallNanos, by.toNanos()));
    }
}
