package dev.weir.server.dashboard;

import dev.weir.engine.Counts;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.json.Json;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decisions over time, of all limits and of each: by reason, every 5 seconds of an hour, every minute of a day and every
 * 15 minutes of a week. Lost at a restart. Thread-safe.
 *
 * <p>One limit takes 113 kB. At most {@value #MOST_LIMITS} limits have series, so all take at most 5.8 MB.
 */
final class TimeSeries {
    static final int MOST_LIMITS = 50;
    private static final List<String> OF_ALL =
            List.of("allowed", "limited", "penalized", "impossible", "unavailable", "unavailable_allowed");
    private static final List<String> OF_LIMIT =
            List.of("allowed", "limited", "impossible", "unavailable", "shadow_denied");

    private final long startedAt = Instant.now().getEpochSecond();
    /** Guarded by this, like the next field. */
    private final Map<Range, RollingCounts> all = ranges(OF_ALL.size());

    private final Map<String, Map<Range, RollingCounts>> limits = new LinkedHashMap<>();

    /** How far back, and in which steps. */
    enum Range {
        HOUR("1h", 720, 5),
        DAY("1d", 1440, 60),
        WEEK("1w", 672, 900);

        private final String text;
        private final int slots;
        private final int slotSeconds;

        Range(String text, int slots, int slotSeconds) {
            this.text = text;
            this.slots = slots;
            this.slotSeconds = slotSeconds;
        }

        /** Returns the range with this name; null if there is none. */
        static @Nullable Range of(String text) {
            for (Range range : values()) {
                if (range.text.equals(text)) {
                    return range;
                }
            }
            return null;
        }
    }

    private static Map<Range, RollingCounts> ranges(int series) {
        Map<Range, RollingCounts> ranges = new EnumMap<>(Range.class);
        for (Range range : Range.values()) {
            ranges.put(range, new RollingCounts(range.slots, range.slotSeconds, series));
        }
        return ranges;
    }

    /** Reads the counts of the engine. A limit that counted before its first reading begins with all of that. */
    synchronized void sample(long second, Counts counts) {
        read(
                all,
                second,
                counts.allowed(),
                counts.limited(),
                counts.penalized(),
                counts.impossible(),
                counts.unavailableDenied(),
                counts.unavailableAllowed());
        for (LimitCounts limit : counts.limits()) {
            if (limits.size() < MOST_LIMITS || limits.containsKey(limit.limit())) {
                read(
                        limits.computeIfAbsent(limit.limit(), name -> ranges(OF_LIMIT.size())),
                        second,
                        limit.allowed(),
                        limit.limited(),
                        limit.impossible(),
                        limit.unavailable(),
                        limit.shadowDenied());
            }
        }
    }

    private static void read(Map<Range, RollingCounts> ranges, long second, long... counts) {
        ranges.values().forEach(range -> range.read(second, counts));
    }

    /** Returns the limits that have series. */
    synchronized Set<String> limits() {
        return Set.copyOf(limits.keySet());
    }

    /** Returns the series as JSON. */
    synchronized Json json(Range range, @Nullable String limit) {
        RollingCounts counts = counts(range, limit);
        Json json = Json.newObject(16_384)
                .field("range", range.text)
                .field("limit", limit)
                .field("slot_secs", range.slotSeconds)
                .field("latest_at", counts.latestAt())
                .field("started_at", startedAt);
        json.name("series").open('{');
        List<String> names = names(limit);
        for (int i = 0; i < names.size(); i++) {
            counts.write(json, names.get(i), i, range.slots);
        }
        return json.close('}').close('}');
    }

    /** Returns the series as CSV: a line for each step since the server started, oldest first. */
    synchronized String csv(Range range, @Nullable String limit) {
        RollingCounts counts = counts(range, limit);
        List<String> names = names(limit);
        StringBuilder text =
                new StringBuilder("time,").append(String.join(",", names)).append('\n');
        for (int back = range.slots - 1; back >= 0; back--) {
            long at = counts.latestAt() - (long) back * range.slotSeconds;
            if (at + range.slotSeconds > startedAt) {
                text.append(Instant.ofEpochSecond(at));
                for (int i = 0; i < names.size(); i++) {
                    text.append(',').append(counts.value(i, back));
                }
                text.append('\n');
            }
        }
        return text.toString();
    }

    private static List<String> names(@Nullable String limit) {
        return limit == null ? OF_ALL : OF_LIMIT;
    }

    private RollingCounts counts(Range range, @Nullable String limit) {
        Map<Range, RollingCounts> ranges = limit == null ? all : limits.get(limit);
        RollingCounts counts = ranges == null ? null : ranges.get(range);
        if (counts == null) {
            throw new IllegalArgumentException("there are no series of the limit " + limit);
        }
        return counts;
    }
}
