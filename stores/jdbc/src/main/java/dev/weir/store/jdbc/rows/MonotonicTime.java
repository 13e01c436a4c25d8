package dev.weir.store.jdbc.rows;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Monotonic time: the database's clock plus the sum of all steps by which it was set back.
 *
 * <p>The sum is a row of the database, so all nodes use the same time. The first node that reads less than it has read
 * before increases the sum. In microseconds since 1970. Safe for use by any number of threads.
 */
public final class MonotonicTime {
    private final AtomicLong latest = new AtomicLong();

    /** The latest time that this node has read. Call it before the clock is read. */
    public long latest() {
        return latest.get();
    }

    /** Records a time that was read. */
    public void observe(long micros) {
        latest.accumulateAndGet(micros, Math::max);
    }
}
