package dev.weir.engine;

import dev.weir.CalendarWindow;
import dev.weir.algorithm.CalendarSpan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one limit for one request.
 *
 * @param name the limit's name
 * @param scope what the limit is per: {@code global}, the attribute in the key, or several joined by {@code +}
 * @param keyedBy the attributes in the key, in order
 * @param row the row of the limit that applied, such as a plan; {@code default} without rows
 * @param allowed whether the cost fits (and was spent, if the request was allowed)
 * @param capacity the capacity of the limit
 * @param remaining what is left after this decision
 * @param cost the cost of the request
 * @param retryAfter how long until the cost fits; zero if it does, null if it never will
 * @param resetAfter how long until the limit's budget is full again
 * @param window the time in which the full capacity refills: for a token bucket from empty to full, else the rate's
 *     period; zero for slots
 * @param shadow whether the limit only reports
 * @param rates the results of all rates, in the order of the configuration; the other components are those of the most
 *     restrictive rate
 * @param calendar the calendar by which the budget is renewed; null if it follows none
 */
public record LimitResult(
        String name,
        String scope,
        List<String> keyedBy,
        String row,
        boolean allowed,
        long capacity,
        long remaining,
        long cost,
        @Nullable Duration retryAfter,
        Duration resetAfter,
        Duration window,
        boolean shadow,
        List<RateResult> rates,
        @Nullable CalendarWindow calendar) {

    /**
     * When the limit's budget is full again. {@link #resetAfter()} is measured when the store decides, and read a
     * little later. For a calendar the sum is therefore moved to the nearest boundary of the calendar, which is exact.
     *
     * @param now the present time, shortly after the decision
     */
    public Instant resetAt(Instant now) {
        Instant sum = now.plus(resetAfter);
        if (calendar == null || resetAfter.isZero()) {
            return sum;
        }
        long time = sum.toEpochMilli();
        CalendarSpan span = CalendarSpan.of(calendar, time);
        return Instant.ofEpochMilli(time - span.start() < span.end() - time ? span.start() : span.end());
    }

    /** The same limit with its charge refunded. When its budget is full again is then known only as an upper bound. */
    LimitResult givenBack() {
        long more = Math.min(capacity, remaining + cost);
        return new LimitResult(
                name,
                scope,
                keyedBy,
                row,
                allowed,
                capacity,
                more,
                cost,
                retryAfter,
                more == capacity ? Duration.ZERO : resetAfter,
                window,
                shadow,
                rates.stream().map(rate -> rate.givenBack(cost)).toList(),
                calendar);
    }

    /** How many more requests like this one fit at once. */
    long requestsLeft() {
        return remaining / cost;
    }
}
