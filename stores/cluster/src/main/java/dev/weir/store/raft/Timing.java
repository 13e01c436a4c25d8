package dev.weir.store.raft;

import java.time.Duration;

/**
 * How patient nodes are with each other.
 *
 * @param heartbeat how often a leader gives a sign of life
 * @param election without one for this long, up to twice as long, a follower stands for election; and without answers
 *     from a majority for this long a leader stops leading
 * @param grace how long nodes of a new cluster wait for those that are missing
 */
public record Timing(Duration heartbeat, Duration election, Duration grace) {
    private static final Timing DEFAULTS =
            new Timing(Duration.ofMillis(75), Duration.ofMillis(600), Duration.ofSeconds(2));

    public Timing {
        if (heartbeat.toMillis() < 1 || election.compareTo(heartbeat.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException("election is " + election.toMillis()
                    + " ms; it must be at least three times the heartbeat, " + heartbeat.toMillis() + " ms");
        }
    }

    public static Timing defaults() {
        return DEFAULTS;
    }

    /** Both in proportion. */
    public Timing withElection(Duration newElection) {
        return new Timing(newElection.dividedBy(8), newElection, grace);
    }
}
