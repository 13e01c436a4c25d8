package dev.weir;

import java.time.Duration;

/**
 * A count of what keeps happening: it grows with every charge, and is forgotten when nothing has been charged for a
 * while.
 *
 * <p>It admits practically everything: what counts is how much of it is used, {@code capacity - remaining}. So all nodes
 * agree on how many violations in a row somebody has committed.
 *
 * @param quiet after how long without a charge the count is forgotten, a millisecond to a hundred years
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
