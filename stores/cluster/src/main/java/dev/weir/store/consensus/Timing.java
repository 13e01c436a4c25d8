package dev.weir.store.consensus;

import java.time.Duration;

/**
 * Timeouts between nodes.
 *
 * @param election without a heartbeat for one to two of these a follower starts an election; without answers from a
 *     majority for one a leader steps down
 * @param grace how long nodes of a new cluster wait for missing founders
 */
public record Timing(Duration election, Duration grace) {
    private static final Timing DEFAULTS = new Timing(Duration.ofMillis(600), Duration.ofSeconds(2));

    public static Timing defaults() {
        return DEFAULTS;
    }

    public Timing withElection(Duration newElection) {
        return new Timing(newElection, grace);
    }
}
