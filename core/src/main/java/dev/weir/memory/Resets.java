package dev.weir.memory;

import dev.weir.Store;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that were reset lately: what was spent before a reset must not be given back after it.
 *
 * <p>A reset is compared with a decision by time, and by a count where both have the same time. A key's budget has no
 * trace of its reset, so this table has it: for {@link Store#LONGEST_TTL}, and for a bounded number of keys. When there
 * are more, nothing that was spent before the oldest of them is given back to any key. Safe for use by any number of
 * threads.
 */
final class Resets {
    private static final long REMEMBERED = Store.LONGEST_TTL.toNanos();
    private static final long NEVER = Long.MIN_VALUE;

    /** By the key's hash, the oldest first. Guarded by this. */
    private final Map<Long, Mark> marks = new LinkedHashMap<>();

    private final int most;
    /** The latest reset that was evicted for lack of room. Guarded by this. */
    private long forgotten = NEVER;

    private volatile long latest = NEVER;
    private volatile long count;

    Resets(int most) {
        this.most = most;
    }

    private record Mark(long at, long count) {}

    /** The number of resets. It is read before a decision spends, so that a reset meanwhile counts as later. */
    long count() {
        return count;
    }

    /** Whether a reset may have been at this time or later. */
    boolean mayBeAfter(long time) {
        return latest >= time;
    }

    synchronized void put(long hash, long now) {
        long number = count + 1;
        count = number;
        latest = Math.max(latest, now);
        marks.remove(hash);
        marks.put(hash, new Mark(now, number));
        Iterator<Mark> oldest = marks.values().iterator();
        for (Mark mark = oldest.next(); !isRemembered(mark.at, now) || marks.size() > most; mark = oldest.next()) {
            if (isRemembered(mark.at, now)) {
                forgotten = Math.max(forgotten, mark.at);
            }
            oldest.remove();
        }
    }

    void forget(long hash) {
        if (latest != NEVER) {
            synchronized (this) {
                marks.remove(hash);
            }
        }
    }

    /**
     * Whether the key was reset after a decision spent from it.
     *
     * @param seen the number of resets before it was spent; 0 if there were none, or all were at earlier times
     */
    boolean cameAfter(long hash, long spentAt, long seen, long now) {
        return latest != NEVER && isMarked(hash, spentAt, seen, now);
    }

    private synchronized boolean isMarked(long hash, long spentAt, long seen, long now) {
        @Nullable Mark mark = marks.get(hash);
        if (mark == null || !isRemembered(mark.at, now)) {
            return spentAt <= forgotten && isRemembered(forgotten, now);
        }
        // The count decides where there is one: a ticking clock may lag behind the precise time of the reset.
        return seen > 0 ? seen < mark.count : spentAt <= mark.at;
    }

    private static boolean isRemembered(long at, long now) {
        return at != NEVER && now - at < REMEMBERED;
    }
}
