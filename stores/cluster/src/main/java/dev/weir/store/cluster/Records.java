package dev.weir.store.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What the book remembers under an id until its time is up: a bounded number of it, in an order that is state. */
final class Records<R extends Records.Expiring> {
    private static final int SWEPT_WITH_A_NEW_ONE = 2;

    private final LinkedHashMap<String, R> records = new LinkedHashMap<>();
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
    }

    /** The record of this id; null if there is none or its time is up. */
    @Nullable
    R get(String id, Moment now) {
        R record = records.get(id);
        return record != null && now.micros() < record.end() ? record : null;
    }

    /** Refuses one more if there are too many. */
    void makeRoom(String id, Moment now) {
        if (records.containsKey(id)) {
            return;
        }
        sweep(SWEPT_WITH_A_NEW_ONE, now);
        if (records.size() >= most) {
            records.values().removeIf(record -> now.micros() >= record.end());
            if (records.size() >= most) {
                throw new Budgets.FullException("there are " + most + " " + what + " already");
            }
        }
    }

    void put(String id, R record) {
        records.put(id, record);
    }

    void remove(String id) {
        records.remove(id);
    }

    void sweep(int count, Moment now) {
        for (int i = Math.min(count, records.size()); i > 0; i--) {
            Iterator<Map.Entry<String, R>> oldest = records.entrySet().iterator();
            Map.Entry<String, R> entry = oldest.next();
            String id = entry.getKey();
            R record = entry.getValue();
            oldest.remove();
            if (now.micros() < record.end()) {
                records.put(id, record);
            }
        }
    }

    int size() {
        return records.size();
    }

    void forEach(BiConsumer<String, R> visitor) {
        records.forEach(visitor);
    }
}
