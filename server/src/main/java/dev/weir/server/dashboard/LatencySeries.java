package dev.weir.server.dashboard;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The median and the 99th percentile of the time of decisions and of calls of the store, in each step of each range. 0
 * where there were none. Takes 104 kB. Not thread-safe.
 */
final class LatencySeries {
    static final List<String> NAMES = List.of("decision_p50_ns", "decision_p99_ns", "store_p50_ns", "store_p99_ns");
    private static final double[] SHARES = {0.5, 0.99};

    private final Map<SeriesRange, RollingCounts> values = new EnumMap<>(SeriesRange.class);
    private final Map<SeriesRange, StepStart> starts = new EnumMap<>(SeriesRange.class);
    private long[] lastDecisions = {};
    private long[] lastCalls = {};

    /** The counts when a step began. */
    private static final class StepStart {
        final long step;
        final long[] decisions;
        final long[] calls;

        StepStart(long step, long[] decisions, long[] calls) {
            this.step = step;
            this.decisions = decisions;
            this.calls = calls;
        }
    }

    LatencySeries() {
        for (SeriesRange range : SeriesRange.values()) {
            values.put(range, new RollingCounts(range.slots, range.slotSeconds, NAMES.size()));
        }
    }

    /** Reads the counts of all buckets since the start. */
    void sample(long second, long[] decisions, long[] calls) {
        for (SeriesRange range : SeriesRange.values()) {
            long step = second / range.slotSeconds;
            StepStart start = starts.get(range);
            if (start == null) {
                start = new StepStart(step, new long[decisions.length], new long[calls.length]);
            } else if (start.step != step) {
                start = new StepStart(step, lastDecisions, lastCalls);
            }
            starts.put(range, start);
            RollingCounts own = of(range);
            set(own, second, 0, decisions, start.decisions);
            set(own, second, SHARES.length, calls, start.calls);
        }
        lastDecisions = decisions;
        lastCalls = calls;
    }

    private static void set(RollingCounts values, long second, int first, long[] now, long[] before) {
        long[] since = new long[now.length];
        for (int i = 0; i < since.length; i++) {
            since[i] = now[i] - before[i];
        }
        for (int i = 0; i < SHARES.length; i++) {
            values.set(second, first + i, LatencyHistogram.quantile(since, SHARES[i]));
        }
    }

    RollingCounts of(SeriesRange range) {
        return Objects.requireNonNull(values.get(range));
    }

    void restore(SeriesRange range, RollingCounts saved) {
        values.put(range, saved);
    }
}
