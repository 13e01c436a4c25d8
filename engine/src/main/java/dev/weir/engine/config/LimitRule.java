package dev.weir.engine.config;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.DurationText;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One named limit: the requests it applies to, the key of their budget, and its size.
 *
 * @param name unique in its configuration
 * @param match the conditions on the request's attributes, all of which must hold
 * @param per the parts of the key, each the first present one of some attributes; empty is one budget for all requests
 * @param by the attribute that chooses the row of {@code rates} and {@code burst}, or null for a single row
 * @param rates the rates by row, all of which must hold, at least one; {@link #DEFAULT_ROW} is always present
 * @param algorithm its algorithm
 * @param burst the capacity by row; a missing row has that of {@link #DEFAULT_ROW}, else its rate's count
 * @param cost the cost of a request
 * @param charge the responses that it charges for, or null for all
 * @param warnPercent the used share of the capacity, 1 to 100, that causes a warning, or null for none
 * @param shadow whether it only reports what it would refuse
 * @param onStoreFailure its decision when the store does not answer
 * @param onMissing its decision on a request that it matches and that lacks an attribute of {@code per}
 * @param scope the scope in results, or null to derive it from {@code per}
 * @param calendar the time zone of a fixed window that follows the calendar, or null to begin with the first request
 */
public record LimitRule(
        String name,
        Map<String, Condition> match,
        List<List<String>> per,
        @Nullable String by,
        Map<String, List<Rate>> rates,
        Algorithm algorithm,
        Map<String, Long> burst,
        CostRule cost,
        @Nullable ChargeRule charge,
        @Nullable Integer warnPercent,
        boolean shadow,
        FailurePolicy onStoreFailure,
        MissingPolicy onMissing,
        @Nullable String scope,
        @Nullable ZoneId calendar) {

    /** The row for values without their own row, and the only row of a limit without {@code by}. */
    public static final String DEFAULT_ROW = "default";

    private static final Map<Duration, ChronoUnit> CALENDAR_UNITS = Map.of(
            Duration.ofSeconds(1),
            ChronoUnit.SECONDS,
            Duration.ofMinutes(1),
            ChronoUnit.MINUTES,
            Duration.ofHours(1),
            ChronoUnit.HOURS,
            Duration.ofDays(1),
            ChronoUnit.DAYS,
            Duration.ofDays(7),
            ChronoUnit.WEEKS,
            Rate.MONTH,
            ChronoUnit.MONTHS);

    public LimitRule {
        match = OrderedCopies.ordered(match);
        per = OrderedCopies.lists(per);
        rates = OrderedCopies.ordered(rates, List::copyOf);
        burst = OrderedCopies.ordered(burst);
    }

    /** The row for a value of {@code by}: its own if there is one, else the default. */
    public String row(@Nullable String value) {
        return value != null && rates.containsKey(value) ? value : DEFAULT_ROW;
    }

    /**
     * The policies of a row, one for each of its rates, all of which must hold.
     *
     * @throws IllegalArgumentException if there is no such row, or its numbers make no exact policy; {@link
     *     ConfigurationReader} never accepts the latter
     */
    public List<Policy> policies(String row) {
        List<Rate> chosen = rates.get(row);
        if (chosen == null) {
            throw new IllegalArgumentException(
                    "limit '" + name + "' has no row '" + row + "'; it has " + String.join(", ", rates.keySet()));
        }
        return policies(chosen, capacity(row));
    }

    /**
     * The policies of these rates under this limit, for overrides; a null {@code capacity} means the default of each
     * rate.
     */
    public List<Policy> policies(List<Rate> rates, @Nullable Long capacity) {
        return rates.stream().map(rate -> policy(rate, capacity)).toList();
    }

    private @Nullable Long capacity(String row) {
        Long own = burst.get(row);
        return own != null ? own : burst.get(DEFAULT_ROW);
    }

    private Policy policy(Rate rate, @Nullable Long capacity) {
        if (rate.count() == 0) {
            return Policy.closed();
        }
        if (algorithm == Algorithm.CONCURRENCY) {
            return Concurrency.of(rate.count());
        }
        if (rate.isMonthly() && calendar == null) {
            throw new IllegalArgumentException(
                    "a month has no fixed length; it needs 'algorithm: fixed-window' and" + " 'calendar', such as UTC");
        }
        Duration period = Objects.requireNonNull(rate.period(), "a rate other than of concurrency has a period");
        return switch (algorithm) {
            case TOKEN_BUCKET -> TokenBucket.of(capacity == null ? rate.count() : capacity, rate.count(), period);
            case FIXED_WINDOW ->
                calendar == null
                        ? FixedWindow.of(rate.count(), period)
                        : new CalendarWindow(rate.count(), calendarUnit(period), calendar);
            case SLIDING_WINDOW -> SlidingWindow.of(rate.count(), period);
            case CONCURRENCY -> throw new AssertionError("handled above");
        };
    }

    private static ChronoUnit calendarUnit(Duration period) {
        ChronoUnit unit = CALENDAR_UNITS.get(period);
        if (unit == null) {
            throw new IllegalArgumentException("the period is " + DurationText.of(period)
                    + "; with 'calendar' it must be a second, a minute, an hour, a day, a week or a month");
        }
        return unit;
    }
}
