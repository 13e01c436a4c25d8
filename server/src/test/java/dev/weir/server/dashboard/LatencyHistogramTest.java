package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void quantiles_areWithinSixPercent() {
        Random random = new Random(3);
        LatencyHistogram histogram = new LatencyHistogram();
        long[] all = new long[10_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = (long) Math.exp(random.nextDouble() * 20);
            histogram.record(all[i]);
        }
        Arrays.sort(all);
        for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
            long exact = all[(int) Math.ceil(share * all.length) - 1];
            assertThat(LatencyHistogram.quantile(histogram.counts(), share)).isBetween(exact, exact + exact / 16 + 1);
        }
        assertThat(histogram.sumNanos()).isEqualTo(Arrays.stream(all).sum());
    }

    @Test
    void countsUpToABound_areExact() {
        LatencyHistogram histogram = new LatencyHistogram();
        histogram.record(-1);
        histogram.record(10_000);
        histogram.record(10_001);
        histogram.record(25_000);
        histogram.record(1_000_000_000);
        histogram.record(1_000_000_001);
        histogram.record(Long.MAX_VALUE / 4);
        long[] counts = histogram.countsByBound();
        assertThat(counts[0]).isEqualTo(2);
        assertThat(counts[1]).isEqualTo(2);
        assertThat(counts[14]).isEqualTo(1);
        assertThat(counts[15]).isEqualTo(2);
        assertThat(Arrays.stream(counts).sum()).isEqualTo(7);
    }

    @Test
    void nothing_hasNoQuantile() {
        assertThat(LatencyHistogram.quantile(new LatencyHistogram().counts(), 0.99))
                .isZero();
    }
}
