package dev.weir.server.dashboard;

import dev.weir.engine.Counts;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decisions over time, of all limits and of each, by reason; and the time that decisions and calls of the store took.
 * Every 5 seconds of an hour, every minute of a day and every 15 minutes of a week. Thread-safe.
 *
 * <p>One limit takes 136 kB. At most {@value #MOST_LIMITS} limits have series, so all take at most 7.1 MB.
 */
final class TimeSeries {
    static final int MOST_LIMITS = 50;
    private static final List<String> OF_ALL =
            List.of("allowed", "limited", "penalized", "impossible", "unavailable", "unavailable_allowed");
    private static final List<String> OF_LIMIT =
            List.of("allowed", "limited", "impossible", "unavailable", "shadow_denied", "warned");
    private static final Set<String> REFUSALS = Set.of("limited", "penalized", "impossible", "unavailable");
    private static final Set<String> ADMISSIONS = Set.of("allowed", "unavailable_allowed");
    /** The most steps of {@link #writeLimits}. */
    private static final int STEPS = 60;

    private final long startedAt = Instant.now().getEpochSecond();
    /** Guarded by this, like all fields below. */
    private final Map<SeriesRange, RollingCounts> all = ranges(OF_ALL.size());

    private final LatencySeries latency = new LatencySeries();
    private final Map<String, Map<SeriesRange, RollingCounts>> limits = new LinkedHashMap<>();
    private long recordedSince = startedAt;

    /**
     * A part of the series.
     *
     * @param from only steps that end after this time, in seconds since 1970
     * @param to only steps that begin before this time
     */
    record Section(SeriesRange range, long from, long to) {
        /** Returns how many steps before the latest the first one is; less than {@link #last} if there is none. */
        private int first(RollingCounts counts, long recordedSince) {
            return counts.intervalsSince(Math.max(from, recordedSince)) - 1;
        }

        private int last(RollingCounts counts) {
            return Math.max(0, counts.intervalsSince(to) - 1);
        }
    }

    private static Map<SeriesRange, RollingCounts> ranges(int series) {
        Map<SeriesRange, RollingCounts> ranges = new EnumMap<>(SeriesRange.class);
        for (SeriesRange range : SeriesRange.values()) {
            ranges.put(range, new RollingCounts(range.slots, range.slotSeconds, series));
        }
        return ranges;
    }

    /**
     * Reads the counts of the engine. A limit that counted before its first reading begins with all of that.
     *
     * @param configured the names of the limits in force; others give way to them
     */
    synchronized void sample(long second, Counts counts, Set<String> configured, Latencies latencies) {
        read(
                all,
                second,
                counts.allowed(),
                counts.limited(),
                counts.penalized(),
                counts.impossible(),
                counts.unavailableDenied(),
                counts.unavailableAllowed());
        latency.sample(second, latencies.decisions().counts(), latencies.callCounts());
        for (LimitCounts limit : counts.limits()) {
            if (configured.contains(limit.limit())) {
                makeRoomFor(limit.limit(), configured);
            }
            if (hasRoomFor(limit.limit())) {
                read(
                        limits.computeIfAbsent(limit.limit(), name -> ranges(OF_LIMIT.size())),
                        second,
                        limit.allowed(),
                        limit.limited(),
                        limit.impossible(),
                        limit.unavailable(),
                        limit.shadowDenied(),
                        limit.warned());
            }
        }
    }

    /** Counts, and the series in a file, still have limits that were removed or renamed. */
    private void makeRoomFor(String limit, Set<String> configured) {
        if (!hasRoomFor(limit)) {
            limits.keySet().stream()
                    .filter(name -> !configured.contains(name))
                    .findFirst()
                    .ifPresent(limits::remove);
        }
    }

    private boolean hasRoomFor(String limit) {
        return limits.size() < MOST_LIMITS || limits.containsKey(limit);
    }

    private static void read(Map<SeriesRange, RollingCounts> ranges, long second, long... counts) {
        ranges.values().forEach(range -> range.read(second, counts));
    }

    /** Returns the limits that have series. */
    synchronized Set<String> limits() {
        return Set.copyOf(limits.keySet());
    }

    /** Returns since when series are recorded, in seconds since 1970. */
    synchronized long recordedSince() {
        return recordedSince;
    }

    synchronized void save(SavedHistory saved) {
        for (SeriesRange range : SeriesRange.values()) {
            saved.add("all/" + range.text, of(all, range));
            saved.add("latency/" + range.text, latency.of(range));
            limits.forEach((limit, ranges) -> saved.add("limit/" + range.text + "/" + limit, of(ranges, range)));
        }
    }

    /** Continues series that were saved, before the first sample. */
    synchronized void restore(SavedHistory saved) {
        recordedSince = Math.min(saved.recordedSince, startedAt);
        saved.series.forEach((name, counts) -> {
            String[] parts = name.split("/", 3);
            SeriesRange range = parts.length < 2 ? null : SeriesRange.of(parts[1]);
            if (range == null) {
                return;
            }
            if (parts[0].equals("all") && counts.hasShapeOf(of(all, range))) {
                all.put(range, counts);
            } else if (parts[0].equals("latency") && counts.hasShapeOf(latency.of(range))) {
                latency.restore(range, counts);
            } else if (parts[0].equals("limit") && parts.length == 3 && hasRoomFor(parts[2])) {
                Map<SeriesRange, RollingCounts> own =
                        limits.computeIfAbsent(parts[2], limit -> ranges(OF_LIMIT.size()));
                if (counts.hasShapeOf(of(own, range))) {
                    own.put(range, counts);
                }
            }
        });
    }

    /** Writes the newest steps of the hour, as members of the open object. */
    synchronized void writeNewest(Json json, int newest) {
        RollingCounts counts = of(all, SeriesRange.HOUR);
        json.field("latest_at", counts.latestAt()).field("slot_secs", SeriesRange.HOUR.slotSeconds);
        int steps = Math.min(newest, SeriesRange.HOUR.slots);
        writeSum(json, "allowed", counts, ADMISSIONS, steps);
        writeSum(json, "denied", counts, REFUSALS, steps);
        for (int i = 0; i < OF_ALL.size(); i++) {
            if (REFUSALS.contains(OF_ALL.get(i))) {
                counts.write(json, OF_ALL.get(i), i, steps);
            }
        }
        for (int i = 0; i < LatencySeries.NAMES.size(); i++) {
            latency.of(SeriesRange.HOUR).write(json, LatencySeries.NAMES.get(i), i, steps);
        }
    }

    private static void writeSum(Json json, String name, RollingCounts counts, Set<String> names, int steps) {
        json.name(name).open('[');
        for (int back = steps - 1; back >= 0; back--) {
            json.value(sum(counts, OF_ALL, names, back));
        }
        json.close(']');
    }

    private static long sum(RollingCounts counts, List<String> all, Set<String> names, int back) {
        long sum = 0;
        for (int i = 0; i < all.size(); i++) {
            sum += names.contains(all.get(i)) ? counts.value(i, back) : 0;
        }
        return sum;
    }

    /** Returns the series as JSON, oldest first. */
    synchronized Json json(Section section, @Nullable String limit) {
        List<Column> columns = columns(section.range, limit);
        RollingCounts counts = columns.get(0).counts;
        int first = section.first(counts, 0);
        int last = section.last(counts);
        Json json = Json.newObject(16_384)
                .field("range", section.range.text)
                .field("limit", limit)
                .field("slot_secs", section.range.slotSeconds)
                .field("latest_at", counts.latestAt() - (long) last * section.range.slotSeconds)
                .field("started_at", startedAt)
                .field("recorded_since", recordedSince);
        json.name("series").open('{');
        for (Column column : columns) {
            json.name(column.name).open('[');
            for (int back = first; back >= last; back--) {
                column.write(json, back);
            }
            json.close(']');
        }
        return json.close('}').close('}');
    }

    /** Returns the series as CSV: a line for each step since recording began, oldest first. */
    synchronized String csv(Section section, @Nullable String limit) {
        List<Column> columns = columns(section.range, limit);
        RollingCounts counts = columns.get(0).counts;
        StringBuilder text = new StringBuilder("time");
        columns.forEach(column -> text.append(',').append(column.name));
        text.append('\n');
        for (int back = section.first(counts, recordedSince); back >= section.last(counts); back--) {
            text.append(Instant.ofEpochSecond(counts.latestAt() - (long) back * section.range.slotSeconds));
            for (Column column : columns) {
                text.append(',').append(column.text(back));
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** Writes each limit's sums, and its decisions in at most 60 steps, as members of the open object. */
    synchronized void writeLimits(Json json, Section section) {
        limits.forEach((limit, ranges) -> {
            RollingCounts counts = of(ranges, section.range);
            int first = section.first(counts, recordedSince);
            int last = section.last(counts);
            json.name(limit).open('{');
            for (int i = 0; i < OF_LIMIT.size(); i++) {
                long sum = 0;
                for (int back = first; back >= last; back--) {
                    sum += counts.value(i, back);
                }
                json.field(OF_LIMIT.get(i), sum);
            }
            int oldest = counts.intervalsSince(section.from) - 1;
            int size = Math.max(1, (oldest - last + STEPS) / STEPS);
            writeSteps(json, "denied_by_step", counts, REFUSALS, oldest, last, size);
            writeSteps(json, "shadow_by_step", counts, Set.of("shadow_denied"), oldest, last, size);
            json.close('}');
        });
    }

    private static void writeSteps(
            Json json, String name, RollingCounts counts, Set<String> names, int first, int last, int size) {
        json.name(name).open('[');
        for (int from = first; from >= last; from -= size) {
            long sum = 0;
            for (int back = from; back > from - size && back >= last; back--) {
                sum += sum(counts, OF_LIMIT, names, back);
            }
            json.value(sum);
        }
        json.close(']');
    }

    /** A series with its name. A latency is null where nothing was measured. */
    private record Column(String name, RollingCounts counts, int which, boolean isLatency) {
        void write(Json json, int back) {
            long value = counts.value(which, back);
            if (isLatency && value == 0) {
                json.nothing();
            } else {
                json.value(value);
            }
        }

        String text(int back) {
            long value = counts.value(which, back);
            return isLatency && value == 0 ? "" : Long.toString(value);
        }
    }

    private List<Column> columns(SeriesRange range, @Nullable String limit) {
        Map<SeriesRange, RollingCounts> ranges = limit == null ? all : limits.get(limit);
        if (ranges == null) {
            throw new IllegalArgumentException("there are no series of the limit " + limit);
        }
        List<Column> columns = new ArrayList<>();
        List<String> names = limit == null ? OF_ALL : OF_LIMIT;
        for (int i = 0; i < names.size(); i++) {
            columns.add(new Column(names.get(i), of(ranges, range), i, false));
        }
        for (int i = 0; limit == null && i < LatencySeries.NAMES.size(); i++) {
            columns.add(new Column(LatencySeries.NAMES.get(i), latency.of(range), i, true));
        }
        return columns;
    }

    private static RollingCounts of(Map<SeriesRange, RollingCounts> ranges, SeriesRange range) {
        return Objects.requireNonNull(ranges.get(range));
    }
}
