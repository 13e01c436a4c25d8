package dev.weir.engine.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WindowHistogramTest {
    @Test
    void count_isTheSmallestThatRefusesTheShare() {
        Random random = new Random(5);
        for (int round = 0; round < 30; round++) {
            WindowHistogram histogram = new WindowHistogram(10, 6);
            int most = round % 3 == 0 ? 1_000_000 : 900;
            long[] windows = random.longs(500, 1, most + 1).toArray();
            Arrays.stream(windows).forEach(histogram::add);
            long found = histogram.countRefusing(0.001);
            double total = Arrays.stream(windows).sum();
            assertThat(refused(windows, found) / total).isLessThanOrEqualTo(0.001);
            long lower = most == 900 ? found - 1 : found - found / 32;
            assertThat(refused(windows, lower) / total).isGreaterThan(0.001);
        }
    }

    private static double refused(long[] windows, long count) {
        return Arrays.stream(windows).map(used -> Math.max(0, used - count)).sum();
    }

    @Test
    void nothing_needsNoRate() {
        assertThat(new WindowHistogram(10, 6).countRefusing(0.001)).isZero();
    }
}
