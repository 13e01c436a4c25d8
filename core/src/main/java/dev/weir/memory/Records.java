package dev.weir.memory;

import dev.weir.StoreException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What is remembered under an id until its time is up: a bounded number of it. */
final class Records<R extends Records.Expiring> {
    private static final int MAX_ID_LENGTH = 256;
    private static final int SWEPT_AT_ONCE = 4;

    private final ConcurrentHashMap<String, R> records = new ConcurrentHashMap<>();
    private final GradualSweep<String> sweep = new GradualSweep<>(records.keySet(), () -> {});
    private final String what;
    private final int maxRecords;

    Records(String what, int maxRecords) {
        this.what = what;
        this.maxRecords = maxRecords;
    }

    /** Something with an end. */
    interface Expiring {
        /** By the store's clock. */
        long expiresAt();
    }

    static void checkId(String id) {
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new IllegalArgumentException(
                    "id has " + id.length() + " characters; it must have 1 to " + MAX_ID_LENGTH);
        }
    }

    /** Replaces the record, in one step for this id; an expired one counts as none, and null removes it. */
    void change(String id, long now, BiFunction<String, @Nullable R, @Nullable R> change) {
        records.compute(id, (same, record) -> change.apply(same, isLive(record, now) ? record : null));
    }

    /** Makes sure that there is room for one more. */
    void makeRoom(long now) {
        sweep.some(SWEPT_AT_ONCE, id -> dropExpired(id, now));
        if (records.mappingCount() >= maxRecords) {
            records.keySet().forEach(id -> dropExpired(id, now));
            if (records.mappingCount() >= maxRecords) {
                throw new StoreException("there are " + maxRecords + " " + what + " already", true, null);
            }
        }
    }

    void sweep(long now) {
        records.keySet().forEach(id -> dropExpired(id, now));
    }

    long size() {
        return records.mappingCount();
    }

    private void dropExpired(String id, long now) {
        records.computeIfPresent(id, (same, record) -> isLive(record, now) ? record : null);
    }

    private static boolean isLive(@Nullable Expiring record, long now) {
        return record != null && now < record.expiresAt();
    }
}
