package dev.weir.server.admin;

import dev.weir.server.dashboard.Latencies;
import dev.weir.server.dashboard.LatencyHistogram;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/**
 * The histograms of decisions and of calls of the store, for Prometheus. It reads them when it is scraped: a timer of
 * Micrometer would read the clock twice more for each decision.
 */
final class LatencyCollector implements MultiCollector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Latencies latencies;

    LatencyCollector(Latencies latencies) {
        this.latencies = latencies;
    }

    @Override
    public MetricSnapshots collect() {
        HistogramSnapshot.Builder calls =
                HistogramSnapshot.builder().name("weir_store_call_seconds").help("Time per call of the store");
        latencies
                .calls()
                .forEach((kind, histogram) -> calls.dataPoint(point(
                        histogram,
                        Labels.of("call", kind.call().text(), "outcome", kind.answered() ? "answered" : "failed"))));
        return MetricSnapshots.of(
                HistogramSnapshot.builder()
                        .name("weir_decision_seconds")
                        .help("Time per decision, with the calls of the store")
                        .dataPoint(point(latencies.decisions(), Labels.EMPTY))
                        .build(),
                calls.build());
    }

    private static HistogramDataPointSnapshot point(LatencyHistogram histogram, Labels labels) {
        long[] bounds = LatencyHistogram.boundsNanos();
        long[] counts = histogram.countsByBound();
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < bounds.length; i++) {
            buckets.bucket((double) bounds[i] / NANOS_PER_SECOND, counts[i]);
        }
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(buckets.bucket(Double.POSITIVE_INFINITY, counts[bounds.length])
                        .build())
                .sum((double) histogram.sumNanos() / NANOS_PER_SECOND)
                .build();
    }
}
