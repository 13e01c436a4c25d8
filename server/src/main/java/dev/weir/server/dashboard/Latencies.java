package dev.weir.server.dashboard;

import dev.weir.engine.Weir;
import dev.weir.engine.guard.StoreCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The time of decisions and of calls of the store since the start. Thread-safe. */
public final class Latencies {
    private final LatencyHistogram decisions = new LatencyHistogram();
    private final Map<CallKind, LatencyHistogram> calls = new ConcurrentHashMap<>();
    /** The usual call, found without a lookup. */
    private final LatencyHistogram consumed = new LatencyHistogram();

    /**
     * Calls of the store that are counted together.
     *
     * @param answered false for calls that failed or timed out
     */
    public record CallKind(StoreCall call, boolean answered) {}

    /** Measures the engine from now on, instead of any other timer. */
    public Latencies(Weir weir) {
        calls.put(new CallKind(StoreCall.CONSUME, true), consumed);
        weir.timeDecisions(decisions::record);
        weir.store().time(this::record);
    }

    private void record(StoreCall call, long nanos, boolean answered) {
        if (call == StoreCall.CONSUME && answered) {
            consumed.record(nanos);
        } else {
            calls.computeIfAbsent(new CallKind(call, answered), kind -> new LatencyHistogram())
                    .record(nanos);
        }
    }

    public LatencyHistogram decisions() {
        return decisions;
    }

    /** Returns the calls that were made, by kind. */
    public Map<CallKind, LatencyHistogram> calls() {
        return Map.copyOf(calls);
    }

    /** Returns the number of calls in each bucket, failed ones included: a call that timed out took that long. */
    long[] callCounts() {
        long[] sums = new long[LatencyHistogram.buckets()];
        calls.values().forEach(histogram -> {
            long[] own = histogram.counts();
            for (int i = 0; i < sums.length; i++) {
                sums[i] += own[i];
            }
        });
        return sums;
    }
}
