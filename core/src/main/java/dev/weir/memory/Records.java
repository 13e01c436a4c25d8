package dev.weir.memory;

import dev.weir.StoreException;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered under an id until its time is up: a bounded number of open records, and a bounded number of closed
 * ones.
 *
 * <p>Implementation notes. The map holds every record; {@link #due} has one entry for each open one, ordered by its end, so
 * that the expired ones are found without looking at the others: a new record costs O(log n), however full the table is.
 * Both change together inside {@link #change}, where the map allows one thread for each id. A record is open until it is
 * replaced by one that {@linkplain Expiring#isClosed is closed}. Closed records take no room of the open ones; they are in
 * {@link #closed}, oldest first, and the oldest is forgotten when there are too many. An id enters that queue once, since a
 * closed record stays closed; if its record has expired and the id names another by then, the queue's entry changes nothing.
 */
final class Records<R extends Records.Expiring> {
    /** Expired records that one new record removes: more than one, so that they do not pile up. */
    private static final int EXPIRED_AT_ONCE = 16;

    private final ConcurrentHashMap<String, R> records = new ConcurrentHashMap<>();
    private final ConcurrentSkipListSet<Due> due = new ConcurrentSkipListSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final Queue<String> closed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger closedCount = new AtomicInteger();
    private final String what;
    private final int maxRecords;
    private final StoreClock clock;

    Records(String what, int maxRecords, StoreClock clock) {
        this.clock = clock;
        this.what = what;
        this.maxRecords = maxRecords;
    }

    /** Something with an end. */
    interface Expiring {
        /** By the store's clock. */
        long expiresAt();

        /** Whether it only serves to recognise its id. */
        default boolean isClosed() {
            return false;
        }
    }

    private record Due(long at, String id) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : id.compareTo(other.id);
        }
    }

    /** What becomes of a record, at a time that was read while nobody else could change it. */
    interface Change<R> {
        @Nullable
        R apply(@Nullable R record, long now);
    }

    /** Replaces the record, in one step for this id; an expired one counts as none, and null removes it. */
    void change(String id, Change<R> change) {
        records.compute(id, (same, record) -> {
            long now = clock.precise();
            return replaced(id, record, change.apply(isLive(record, now) ? record : null, now));
        });
        forgetOldestClosed();
    }

    /**
     * Makes sure that there is room for this one.
     *
     * @throws StoreException if there is none
     */
    void makeRoom(String id) {
        if (records.containsKey(id)) {
            return;
        }
        dropExpired(clock.precise(), EXPIRED_AT_ONCE);
        if (open.get() >= maxRecords) {
            throw StoreException.full("there are " + maxRecords + " " + what + " already");
        }
    }

    void sweep(long now) {
        dropExpired(now, Integer.MAX_VALUE);
        // A closed record ends with its time, which is not the order in which they were closed.
        closed.removeIf(id -> {
            boolean isGone =
                    records.computeIfPresent(id, (same, record) -> isLive(record, now) ? record : null) == null;
            if (isGone) {
                closedCount.decrementAndGet();
            }
            return isGone;
        });
    }

    long size() {
        return records.mappingCount();
    }

    /** Counts the change; called for one thread at a time for each id. */
    private @Nullable R replaced(String id, @Nullable R before, @Nullable R after) {
        if (before == after) {
            return after;
        }
        if (before != null && !before.isClosed()) {
            due.remove(new Due(before.expiresAt(), id));
            open.decrementAndGet();
        }
        if (after != null && !after.isClosed()) {
            due.add(new Due(after.expiresAt(), id));
            open.incrementAndGet();
        } else if (after != null) {
            closed.add(id);
            closedCount.incrementAndGet();
        }
        return after;
    }

    private void dropExpired(long now, int atMost) {
        for (int i = 0; i < atMost && !due.isEmpty(); i++) {
            Due first = first();
            if (first == null || now < first.at) {
                return;
            }
            records.computeIfPresent(
                    first.id, (id, record) -> isLive(record, now) ? record : replaced(id, record, null));
            // Gone already, unless another thread is about to remove it.
            due.remove(first);
        }
    }

    private @Nullable Due first() {
        var entries = due.iterator();
        return entries.hasNext() ? entries.next() : null;
    }

    private void forgetOldestClosed() {
        while (closedCount.get() > maxRecords) {
            String oldest = closed.poll();
            if (oldest == null) {
                return;
            }
            closedCount.decrementAndGet();
            records.computeIfPresent(oldest, (id, record) -> record.isClosed() ? null : record);
        }
    }

    private static boolean isLive(@Nullable Expiring record, long now) {
        return record != null && now < record.expiresAt();
    }
}
