package dev.weir.engine;

import java.time.Duration;

/**
 * What one rate of a limit says to one request.
 *
 * @param name the limit's name for its first rate; for the others with their place, such as {@code general:2}, which no
 *     limit can be called
 * @param capacity the most that fits at once
 * @param remaining what is left after this answer
 * @param resetAfter how long until the rate is whole again
 * @param window the time in which the whole capacity comes back; zero for slots
 */
public record RateResult(String name, long capacity, long remaining, Duration resetAfter, Duration window) {

    /** The same rate with so much given back. */
    RateResult givenBack(long cost) {
        long more = Math.min(capacity, remaining + cost);
        return new RateResult(name, capacity, more, more == capacity ? Duration.ZERO : resetAfter, window);
    }
}
