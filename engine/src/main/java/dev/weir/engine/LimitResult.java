package dev.weir.engine;

import java.time.Duration;
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
        List<RateResult> rates) {

    /** How many more requests like this one fit at once. */
    long requestsLeft() {
        return remaining / cost;
    }
}
