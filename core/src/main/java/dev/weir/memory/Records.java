package dev.weir.memory;

import dev.weir.StoreException;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reservations or leases by id, until they expire: a bounded number of open records, and a bounded number of closed
 * ones.
 *
 * <p>Safe for use by any number of threads.
 */
final class Records<R extends Records.Expiring> {
    /*
     * The map has every record. "due" has one element for each open record, ordered by its end, so that expired records
     * are found without a scan: a new record costs O(log n), however full the table is. Both change together inside
     * change(), where the map admits one thread for each id.
     *
     * A record is open until it is replaced by one that is closed. Closed records do not count against the bound of the
     * open ones. Their ids are in the queue "closed", oldest first, and the oldest is evicted when there are too many.
     * An id enters that queue once, because a closed record stays closed. If the record has expired and the id names
     * another by then, the queue's element has no effect.
     */
    /** The number of expired records that one new record removes: more than one, so that they do not accumulate. */
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

    /** A record that expires. */
    interface Expiring {
        /** The end, on the store's clock. */
        long expiresAt();

        /** Whether it is closed, and kept only so that its id stays known. */
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

    /** Computes the new record, at a time that was read while no other thread could change it. */
    interface RecordUpdate<R> {
        @Nullable
        R apply(@Nullable R record, long now);
    }

    /**
     * Replaces the record, in one atomic step for this id. An expired record is passed as null, and a null result
     * removes it.
     */
    void change(String id, RecordUpdate<R> change) {
        records.compute(id, (same, record) -> {
            long now = clock.precise();
            return replaced(id, record, change.apply(isLive(record, now) ? record : null, now));
        });
        forgetOldestClosed();
    }

    /**
     * Checks that there is room for a record with this id.
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
        // Closed records expire in another order than that in which they were closed.
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

    /** Updates the counts and indexes for a change; called by one thread at a time for each id. */
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
            // Already removed, unless another thread is about to remove it.
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
