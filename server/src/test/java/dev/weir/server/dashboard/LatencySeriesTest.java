package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencySeriesTest {
    private final LatencyHistogram decisions = new LatencyHistogram();
    private final LatencyHistogram calls = new LatencyHistogram();
    private final LatencySeries series = new LatencySeries();

    private void sample(long second) {
        series.sample(second, decisions.counts(), calls.counts());
    }

    private long value(SeriesRange range, String name, int back) {
        return series.of(range).value(LatencySeries.NAMES.indexOf(name), back);
    }

    @Test
    void eachStep_hasTheQuantilesOfItsOwnDecisions() {
        for (int i = 0; i < 98; i++) {
            decisions.record(1000);
        }
        decisions.record(1_000_000);
        decisions.record(1_000_000);
        sample(1_000_000_000L);
        assertThat(value(SeriesRange.HOUR, "decision_p50_ns", 0)).isBetween(1000L, 1064L);
        assertThat(value(SeriesRange.HOUR, "decision_p99_ns", 0)).isBetween(1_000_000L, 1_064_000L);
        assertThat(value(SeriesRange.HOUR, "store_p50_ns", 0)).isZero();
        decisions.record(5000);
        sample(1_000_000_005L);
        assertThat(value(SeriesRange.HOUR, "decision_p50_ns", 0)).isBetween(5000L, 5320L);
        assertThat(value(SeriesRange.HOUR, "decision_p50_ns", 1)).isBetween(1000L, 1064L);
        assertThat(value(SeriesRange.DAY, "decision_p50_ns", 0)).isBetween(1000L, 1064L);
        sample(1_000_000_010L);
        assertThat(value(SeriesRange.HOUR, "decision_p50_ns", 0)).isZero();
    }
}
