package dev.weir;

import java.time.Duration;

/**
 * A count of repeated events: it grows with every charge, and restarts at zero when nothing has been charged for a
 * while.
 *
 * <p>It admits practically everything: its result is how much of it is used, {@code capacity - remaining}. So all nodes
 * agree on how many violations in a row a subject has committed.
 *
 * @param quiet after how long without a charge the count restarts, a millisecond to a hundred years
 */
public record Streak(Duration quiet) implements Policy {
    public Streak {
        Require.period(quiet);
    }

    @Override
    public long capacity() {
        return MAX_COUNT;
    }

    @Override
    public int hashCode() {
        return Require.hash(4, 0, 0, quiet);
    }
}
