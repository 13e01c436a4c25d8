package dev.weir.engine;

import java.time.Duration;

/**
 * The result of one rate of a limit for one request.
 *
 * @param name the limit's name for its first rate; for the others with their position appended, such as {@code
 *     general:2}, which is no valid name of a limit
 * @param capacity the capacity of the rate
 * @param remaining what is left after this decision
 * @param resetAfter how long until the rate's budget is full again
 * @param window the time in which the full capacity refills; zero for slots
 */
public record RateResult(String name, long capacity, long remaining, Duration resetAfter, Duration window) {

    /** The same rate with this cost refunded. */
    RateResult givenBack(long cost) {
        long more = Math.min(capacity, remaining + cost);
        return new RateResult(name, capacity, more, more == capacity ? Duration.ZERO : resetAfter, window);
    }
}
