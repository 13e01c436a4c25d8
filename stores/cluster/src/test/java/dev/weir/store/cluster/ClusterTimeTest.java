package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Key;
import dev.weir.store.consensus.LogClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cluster's time over a stop of all nodes, by their wall clocks. */
@Tag("io")
class ClusterTimeTest {
    private static final Duration LONG = Duration.ofSeconds(90);

    @TempDir
    Path data;

    @ParameterizedTest
    @CsvSource({"3600000, true", "0, false", "-3600000, false"})
    void time_overAStopOfAllNodes_advancesByTheWallClock(long stepMillis, boolean isOver) {
        AtomicLong skew = new AtomicLong();
        LogClock.Clock clock = new LogClock.Clock() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long epochMillis() {
                return System.currentTimeMillis() + skew.get();
            }
        };
        try (LocalCluster cluster = new LocalCluster(3, clock, data)) {
            assertThat(acquire(cluster, "first")).isTrue();
            assertThat(acquire(cluster, "second")).isFalse();
            for (int i = 0; i < 3; i++) {
                cluster.stop(i);
            }
            skew.set(stepMillis);
            for (int i = 0; i < 3; i++) {
                ClusterNode unused = cluster.start(i);
            }
            cluster.awaitReady();
            assertThat(acquire(cluster, "second")).isEqualTo(isOver);
        }
    }

    private static boolean acquire(LocalCluster cluster, String id) {
        return cluster.node(0)
                .store()
                .acquire(id, List.of(Charge.of(Key.of("slots"), Concurrency.of(1))), Duration.ofMinutes(30))
                .await(LONG)
                .admitted();
    }
}
