package dev.weir.store.cluster;

import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Moment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.function.BiConsumer;

/**
 * Which keys were reset lately: what was spent before a reset must not be given back after it.
 *
 * <p>Every reset has a number, and a decision remembers how many there were before it. Remembered for
 * {@link ResetMark#REMEMBERED}, and for a bounded number of keys: when there are more, nothing that was spent before the
 * oldest of them is given back to any key. The order of the table is state.
 */
final class Resets {
    static final int MOST = 65_536;

    private final LinkedHashMap<String, Reset> resets = new LinkedHashMap<>();
    private long count;
    /** The latest that was forgotten for want of room. */
    private Reset forgotten = new Reset(0, 0);

    /** A reset by its number, and when it was in microseconds. */
    record Reset(long number, long at) {
        boolean cameAfter(long seen, Moment now) {
            return seen < number && now.micros() - at < ResetMark.REMEMBERED;
        }
    }

    /** How many there were. */
    long count() {
        return count;
    }

    void put(String key, Moment now) {
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

    /** Whether the key was reset since there were so many resets. */
    boolean cameAfter(String key, long seen, Moment now) {
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
