package dev.weir.store.jdbc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Time that never goes back: the database's clock, and by how much it was ever set back.
 *
 * <p>That much is kept in the database, so that all nodes count alike; the node that first meets a clock which shows less
 * than before finds it out. In microseconds since 1970. Safe for use by any number of threads.
 */
final class MonotonicTime {
    private final AtomicLong latest = new AtomicLong();

    /** The latest time that this node has seen. To be asked before the clock is read. */
    long latest() {
        return latest.get();
    }

    /** Remembers a time that was seen. */
    void observe(long micros) {
        latest.accumulateAndGet(micros, Math::max);
    }
}
