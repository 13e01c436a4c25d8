package dev.weir.memory;

import dev.weir.StoreException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What is remembered under an id until its time is up: a bounded number of it. */
final class Records<R extends Records.Expiring> {
    private static final int MAX_ID_LENGTH = 256;
    private static final int SWEPT_AT_ONCE = 4;

    private final ConcurrentHashMap<String, R> records = new ConcurrentHashMap<>();
    private final GradualSweep<String> sweep = new GradualSweep<>(records.keySet(), () -> {});
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
    }

    static void checkId(String id) {
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new IllegalArgumentException(
                    "id has " + id.length() + " characters; it must have 1 to " + MAX_ID_LENGTH);
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
            return change.apply(isLive(record, now) ? record : null, now);
        });
    }

    /** Makes sure that there is room for this one. */
    void makeRoom(String id) {
        if (records.containsKey(id)) {
            return;
        }
        long now = clock.precise();
        sweep.some(SWEPT_AT_ONCE, old -> dropExpired(old, now));
        if (records.mappingCount() >= maxRecords) {
            records.keySet().forEach(old -> dropExpired(old, now));
            if (records.mappingCount() >= maxRecords) {
                throw new StoreException("there are " + maxRecords + " " + what + " already", true, null);
            }
        }
    }

    void sweep(long now) {
        records.keySet().forEach(old -> dropExpired(old, now));
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
