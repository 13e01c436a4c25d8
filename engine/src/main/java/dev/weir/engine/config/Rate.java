package dev.weir.engine.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * So many in a period, or so many at once.
 *
 * @param count how many, 0 to {@link dev.weir.Policy#MAX_COUNT}; 0 never allows
 * @param period in what time, or null for the slots of a {@code concurrency} limit; {@link #MONTH} stands for a calendar
 *     month
 */
public record Rate(long count, @Nullable Duration period) {
    /** A month on the calendar, by its mean length of 2,629,746 s: no month has it, so that nothing else is meant by it. */
    public static final Duration MONTH = ChronoUnit.MONTHS.getDuration();

    /** So many in a period. */
    public static Rate per(Duration period, long count) {
        return new Rate(count, period);
    }

    /** So many at once. */
    public static Rate slots(long count) {
        return new Rate(count, null);
    }

    /** Whether it is for a month on the calendar, which has no fixed length. */
    boolean isMonthly() {
        return MONTH.equals(period);
    }

    /** As a configuration says it: {@code 60/min}, {@code 10/1h30m}, {@code 3}. */
    @Override
    public String toString() {
        return period == null ? Long.toString(count) : count + "/" + Durations.perText(period);
    }
}
