package dev.weir.engine.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A count in a period, or a number of slots.
 *
 * @param count 0 to {@link dev.weir.Policy#MAX_COUNT}; 0 refuses every request
 * @param period the period, or null for the slots of a {@code concurrency} limit; {@link #MONTH} stands for a calendar
 *     month
 */
public record Rate(long count, @Nullable Duration period) {
    /**
     * A calendar month, represented by its mean length of 2,629,746 s. No real month has this length, so it is
     * unambiguous.
     */
    public static final Duration MONTH = ChronoUnit.MONTHS.getDuration();

    /** A count in a period. */
    public static Rate per(Duration period, long count) {
        return new Rate(count, period);
    }

    /** A number of slots. */
    public static Rate slots(long count) {
        return new Rate(count, null);
    }

    /** Whether the period is a calendar month, which has no fixed length. */
    public boolean isMonthly() {
        return MONTH.equals(period);
    }

    /** In the format of configurations: {@code 60/min}, {@code 10/1h30m}, {@code 3}. */
    @Override
    public String toString() {
        return period == null ? Long.toString(count) : count + "/" + Durations.perText(period);
    }
}
