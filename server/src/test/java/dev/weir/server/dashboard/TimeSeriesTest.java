package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.LimitRule;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimeSeriesTest {
    private static final long SECOND = 1_000_000_000L;

    private final TimeSeries series = new TimeSeries();

    @Test
    void limits_thatAreNotConfiguredAnyMore_makeRoomForThoseThatAre() {
        try (Weir weir = Weir.inMemory(configuration("old", TimeSeries.MOST_LIMITS))) {
            Latencies latencies = new Latencies(weir);
            countAll(weir);
            sample(weir, latencies);
            assertThat(series.limits()).hasSize(TimeSeries.MOST_LIMITS).contains("old-0");

            weir.reconfigure(configuration("new", 2));
            countAll(weir);
            sample(weir, latencies);
            assertThat(series.limits()).hasSize(TimeSeries.MOST_LIMITS).contains("new-0", "new-1");

            weir.reconfigure(configuration("many", TimeSeries.MOST_LIMITS + 10));
            countAll(weir);
            sample(weir, latencies);
            sample(weir, latencies);
            assertThat(series.limits())
                    .hasSize(TimeSeries.MOST_LIMITS)
                    .allSatisfy(limit -> assertThat(limit).startsWith("many-"));
        }
    }

    private void sample(Weir weir, Latencies latencies) {
        series.sample(
                SECOND,
                weir.counts(),
                weir.configuration().limits().stream().map(LimitRule::name).collect(Collectors.toSet()),
                latencies);
    }

    private static void countAll(Weir weir) {
        weir.configuration().limits().forEach(limit -> weir.counts().of(limit.name()));
    }

    private static Configuration configuration(String name, int limits) {
        return new ConfigurationReader()
                .read(
                        "test.yaml",
                        IntStream.range(0, limits)
                                .mapToObj(i -> "  - { name: " + name + "-" + i + ", per: [user], rate: 10/min }\n")
                                .collect(Collectors.joining("", "limits:\n", "")))
                .orThrow();
    }
}
