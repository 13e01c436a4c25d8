package dev.weir.testkit.model;

import dev.weir.CalendarWindow;
import dev.weir.Policy;
import dev.weir.algorithm.Resolution;
import java.time.Duration;

/**
 * A time by a store's two clocks: its own clock, which policies use, and the wall clock, which calendars use.
 *
 * @param nanos nanoseconds since the store's origin, which never go back
 * @param wallNanos nanoseconds since 1970 by the wall clock, which may be set anywhere
 */
public record ModelTime(long nanos, long wallNanos) {

    /** The tick that contains this time, for a policy that is kept on that resolution. */
    public long ticks(Policy policy, Resolution resolution) {
        return policy instanceof CalendarWindow
                ? Math.floorDiv(wallNanos, 1_000_000)
                : Math.floorDiv(nanos, resolution.nanosPerTick());
    }

    /** This time plus a duration, on both clocks. */
    public ModelTime plus(Duration by) {
        return new ModelTime(Math.addExact(nanos, by.toNanos()), wallNanos + by.toNanos());
    }

    /** This time with the wall clock moved forward or (with a negative duration) back. */
    public ModelTime plusOnTheWall(Duration by) {
        return new ModelTime(nanos, Math.addExact(wallNanos, by.toNanos()));
    }
}
