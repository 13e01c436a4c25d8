package dev.weir.server.dashboard;

import dev.weir.engine.json.Json;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The refusals of one subject by limit and reason: in all, and in the last hour.
 *
 * <p>Holds at most {@value #MOST} combinations. Further ones are counted together, without a limit, under their reason.
 * A combination takes about 250 bytes, so 10,000 subjects take at most 30 MB, and usually a tenth of that. Not
 * thread-safe.
 */
final class DeniedCounts {
    static final int MOST = 8;
    /** There are four reasons, and each may have an entry without a limit. */
    private static final int MOST_WITH_OTHERS = MOST + 4;

    static final int SLOTS = 12;
    static final int SLOT_SECONDS = 300;

    private final Map<By, Count> counts = new LinkedHashMap<>(4);

    /**
     * What refused, and why.
     *
     * @param limit the limit; null for a penalty, and for limits that are not counted one by one
     */
    record By(@Nullable String limit, String reason) {}

    private static final class Count {
        private final RollingCounts lastHour = new RollingCounts(SLOTS, SLOT_SECONDS, 1);
        private long all;
    }

    void add(@Nullable String limit, String reason, long second) {
        By by = new By(limit, reason);
        Count count = counts.get(by);
        if (count == null) {
            By place = counts.size() < MOST ? by : new By(null, reason);
            count = counts.computeIfAbsent(place, key -> new Count());
        }
        count.all++;
        count.lastHour.add(second, 0, 1);
    }

    int size() {
        assert counts.size() <= MOST_WITH_OTHERS;
        return counts.size();
    }

    /** Writes all refusals, most first, as a member of the open object. */
    void write(Json json) {
        write(
                json,
                counts.entrySet().stream()
                        .map(entry -> new Row(entry.getKey(), entry.getValue().all))
                        .toList());
    }

    /** Writes the refusals of the last hour, most first, as a member of the open object. */
    void writeLastHour(Json json, long second) {
        write(
                json,
                counts.entrySet().stream()
                        .map(entry -> new Row(
                                entry.getKey(), entry.getValue().lastHour.sum(second, 0)))
                        .filter(row -> row.count > 0)
                        .toList());
    }

    /** Writes the refusals of the last hour in time, an object for each limit and reason, into the open array. */
    void writeOverTime(Json json, long second) {
        counts.forEach((by, count) -> {
            if (count.lastHour.sum(second, 0) > 0) {
                json.open('{').field("limit", by.limit).field("reason", by.reason);
                count.lastHour.writeAt(json, second, "counts");
                json.close('}');
            }
        });
    }

    /** A row of the list. */
    record Row(By by, long count) {}

    /** Writes {@code denied_by}, most first, as a member of the open object. */
    static void write(Json json, List<Row> rows) {
        json.name("denied_by").open('[');
        rows.stream()
                .sorted(Comparator.comparingLong(row -> -row.count))
                .forEach(row -> json.open('{')
                        .field("limit", row.by.limit)
                        .field("reason", row.by.reason)
                        .field("count", row.count)
                        .close('}'));
        json.close(']');
    }
}
