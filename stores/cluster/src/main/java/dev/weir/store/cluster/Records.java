package dev.weir.store.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the book remembers under an id until its time is up: a bounded number of open records and of closed ones.
 *
 * <p>The records, in the order in which they came, are the state. {@link #due} is made of them: all by their ends, so that
 * expired ones are found without looking at the others. Closed records take no room of the open ones; when there are too
 * many, the one that was closed first is forgotten.
 */
final class Records<R extends Records.Expiring> {
    private static final int EXPIRED_WITH_A_NEW_ONE = 16;

    private final LinkedHashMap<String, R> open = new LinkedHashMap<>();
    private final LinkedHashMap<String, R> closed = new LinkedHashMap<>();
    private final TreeSet<Due> due = new TreeSet<>();
    private final String what;
    private final int most;

    Records(String what, int most) {
        this.what = what;
        this.most = most;
    }

    /** Something with an end. */
    interface Expiring {
        /** In microseconds of the cluster's time. */
        long end();

        /** Whether it only serves to recognise its id. */
        default boolean isClosed() {
            return false;
        }
    }

    private record Due(long end, String id) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(end, other.end);
            return byTime != 0 ? byTime : id.compareTo(other.id);
        }
    }

    /** The record of this id; null if there is none or its time is up. */
    @Nullable
    R get(String id, Moment now) {
        R record = find(id);
        return record != null && now.micros() < record.end() ? record : null;
    }

    /** Refuses one more if there are too many. */
    void makeRoom(String id, Moment now) {
        if (find(id) != null) {
            return;
        }
        sweep(EXPIRED_WITH_A_NEW_ONE, now);
        if (open.size() >= most) {
            throw new Budgets.FullException("there are " + most + " " + what + " already");
        }
    }

    void put(String id, R record) {
        remove(id);
        (record.isClosed() ? closed : open).put(id, record);
        due.add(new Due(record.end(), id));
        if (closed.size() > most) {
            remove(closed.keySet().iterator().next());
        }
    }

    void remove(String id) {
        R before = open.remove(id);
        before = before == null ? closed.remove(id) : before;
        if (before != null) {
            due.remove(new Due(before.end(), id));
        }
    }

    /** Removes so many whose time is up. */
    void sweep(int count, Moment now) {
        Iterator<Due> earliest = due.iterator();
        for (int i = 0; i < count && earliest.hasNext(); i++) {
            Due next = earliest.next();
            if (now.micros() < next.end) {
                return;
            }
            earliest.remove();
            open.remove(next.id);
            closed.remove(next.id);
        }
    }

    int size() {
        return open.size() + closed.size();
    }

    void forEach(BiConsumer<String, R> visitor) {
        open.forEach(visitor);
        closed.forEach(visitor);
    }

    private @Nullable R find(String id) {
        R record = open.get(id);
        return record == null ? closed.get(id) : record;
    }
}
