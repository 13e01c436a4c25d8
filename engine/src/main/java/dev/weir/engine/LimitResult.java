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
 * @param window the period in which the capacity comes back; zero for slots
 * @param shadow whether the limit only reports
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
        boolean shadow) {

    /** How many more requests like this one fit at once. */
    long requestsLeft() {
        return remaining / cost;
    }
}
