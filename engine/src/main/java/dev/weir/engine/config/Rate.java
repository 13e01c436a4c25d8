package dev.weir.engine.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * So many in a period, or so many at once.
 *
 * @param count how many, 0 to {@link dev.weir.Policy#MAX_COUNT}; 0 never allows
 * @param period in what time, or null for the slots of a {@code concurrency} limit
 */
public record Rate(long count, @Nullable Duration period) {
    /** So many in a period. */
    public static Rate per(Duration period, long count) {
        return new Rate(count, period);
    }

    /** So many at once. */
    public static Rate slots(long count) {
        return new Rate(count, null);
    }

    /** As a configuration says it: {@code 60/min}, {@code 10/1h30m}, {@code 3}. */
    @Override
    public String toString() {
        return period == null ? Long.toString(count) : count + "/" + Durations.perText(period);
    }
}
