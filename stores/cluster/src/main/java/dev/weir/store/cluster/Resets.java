package dev.weir.store.cluster;

import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.StoreTime;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.function.BiConsumer;

/**
 * The recent resets of keys, which prevent refunds of charges that were spent before a reset.
 *
 * <p>Every reset has a number, and a decision stores how many resets there were before it. Resets are kept for
 * {@link ResetMark#REMEMBERED} and for at most {@link #MOST} keys. When a reset is evicted for lack of room, no charge
 * that was spent before it is refunded to any key. The order of the table is part of the state. Not safe for use by
 * several threads.
 */
final class Resets {
    static final int MOST = 65_536;

    private final LinkedHashMap<String, Reset> resets = new LinkedHashMap<>();
    private long count;
    /** The latest reset that was evicted for lack of room. */
    private Reset forgotten = new Reset(0, 0);

    /** A reset: its number and its time in microseconds. */
    record Reset(long number, long at) {
        boolean cameAfter(long seen, StoreTime now) {
            return seen < number && now.micros() - at < ResetMark.REMEMBERED;
        }
    }

    /** The number of resets so far. */
    long count() {
        return count;
    }

    void put(String key, StoreTime now) {
        count++;
        resets.remove(key);
        resets.put(key, new Reset(count, now.micros()));
        Iterator<Reset> oldest = resets.values().iterator();
        for (Reset reset = oldest.next(); !reset.cameAfter(0, now) || resets.size() > MOST; reset = oldest.next()) {
            forgotten = reset.cameAfter(0, now) ? reset : forgotten;
            oldest.remove();
        }
    }

    void forget(String key) {
        resets.remove(key);
    }

    /** Whether the key may have been reset after the first {@code seen} resets. */
    boolean cameAfter(String key, long seen, StoreTime now) {
        Reset reset = resets.get(key);
        return forgotten.cameAfter(seen, now) || (reset != null && reset.cameAfter(seen, now));
    }

    // For snapshots.

    int size() {
        return resets.size();
    }

    Reset forgotten() {
        return forgotten;
    }

    void forEach(BiConsumer<String, Reset> visitor) {
        resets.forEach(visitor);
    }

    void restore(long newCount, Reset newForgotten) {
        count = newCount;
        forgotten = newForgotten;
    }

    void restore(String key, Reset reset) {
        resets.put(key, reset);
    }
}
