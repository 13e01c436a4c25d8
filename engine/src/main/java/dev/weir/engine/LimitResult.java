package dev.weir.engine;

import dev.weir.CalendarWindow;
import dev.weir.algorithm.CalendarSpan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one limit says to one request.
 *
 * @param name the limit's name
 * @param scope whose limit it is: {@code global}, the attribute that made the key, or several joined by {@code +}
 * @param keyedBy the attributes that made the key, in order
 * @param row the row of the limit that applied, such as a plan; {@code default} without rows
 * @param allowed whether the cost fits (and was spent, if the request was allowed)
 * @param capacity the most that fits at once
 * @param remaining what is left after this answer
 * @param cost what the request asked for
 * @param retryAfter how long until it fits; zero when it does, null when it never will
 * @param resetAfter how long until the limit is whole again
 * @param window the time in which the whole capacity comes back: for a token bucket its refill from empty to full, else
 *     the rate's period; zero for slots
 * @param shadow whether the limit only reports
 * @param rates what each rate says, in the order of the configuration; the other components tell of the rate that stands
 *     in the way most
 * @param calendar the calendar by which the limit is whole again; null if it follows none
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
     * When the limit is whole again. {@link #resetAfter()} is measured when the store decides, and read a little later. For
     * a calendar the sum is therefore moved to the nearest turn of the calendar, which is exact.
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

    /** The same limit with its charge given back. When it is whole again is then known only as no later than before. */
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
