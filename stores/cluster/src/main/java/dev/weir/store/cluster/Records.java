package dev.weir.store.cluster;

import dev.weir.ledger.HoldTable;
import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The reservations or the leases in the replicated state, by id: a bounded number of open records and of closed ones.
 *
 * <p>The records, in insertion order, are the state. {@link #due} is an index of them by expiry, with which a sweep
 * finds expired records without a scan. Closed records do not count against the bound of open ones; beyond their own
 * bound the one closed first is evicted. Not safe for use by several threads.
 */
final class Records implements HoldTable<StateCharge> {
    private static final int EXPIRED_WITH_A_NEW_ONE = 16;

    private final LinkedHashMap<String, StoredHold<StateCharge>> open = new LinkedHashMap<>();
    private final LinkedHashMap<String, StoredHold<StateCharge>> closed = new LinkedHashMap<>();
    private final TreeSet<Due> due = new TreeSet<>();
    private final String what;
    private final int most;

    Records(String what, int most) {
        this.what = what;
        this.most = most;
    }

    private record Due(long end, String id) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(end, other.end);
            return byTime != 0 ? byTime : id.compareTo(other.id);
        }
    }

    @Override
    public @Nullable StoredHold<StateCharge> get(String id) {
        StoredHold<StateCharge> hold = open.get(id);
        return hold == null ? closed.get(id) : hold;
    }

    @Override
    public void makeRoom(String id, StoreTime now) {
        if (get(id) != null) {
            return;
        }
        sweep(EXPIRED_WITH_A_NEW_ONE, now);
        if (open.size() >= most) {
            throw new Budgets.FullException("there are " + most + " " + what + " already");
        }
    }

    @Override
    public void put(String id, StoredHold<StateCharge> hold) {
        remove(id);
        (hold.closed() ? closed : open).put(id, hold);
        due.add(new Due(hold.endsAt(), id));
        if (closed.size() > most) {
            remove(closed.keySet().iterator().next());
        }
    }

    @Override
    public void remove(String id) {
        StoredHold<StateCharge> before = open.remove(id);
        before = before == null ? closed.remove(id) : before;
        if (before != null) {
            due.remove(new Due(before.endsAt(), id));
        }
    }

    /** Removes at most this many expired records. */
    void sweep(int count, StoreTime now) {
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

    void forEach(BiConsumer<String, StoredHold<StateCharge>> visitor) {
        open.forEach(visitor);
        closed.forEach(visitor);
    }
}
