package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.ledger.StoreTime;
import dev.weir.store.consensus.FormatRange;
import dev.weir.store.consensus.LogClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a version and of the next one, which has another format of the state. */
@Tag("io")
class RollingUpgradeTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int CURRENT = ClusterState.FORMATS.newest();
    /** A later version: it reads its own format and the current one. */
    private static final FormatRange LATER = new FormatRange(CURRENT, CURRENT + 1);

    private static final List<Charge> CHARGES =
            List.of(Charge.of(Key.of("counter"), FixedWindow.of(1_000, Duration.ofDays(365))));

    @TempDir
    Path data;

    private long left = 1_000;

    @Test
    void nodes_upgradedOneByOne_agree_andWriteTheNewFormatWhenAllReadIt() {
        try (LocalCluster cluster = new LocalCluster(3, LogClock.Clock.SYSTEM, data)) {
            takeOnAll(cluster);
            for (int i = 0; i < 3; i++) {
                // Others may have decided its calls before it applies the first entry.
                await().untilAsserted(() -> assertThat(cluster.node(0).format()).isEqualTo(CURRENT));
                cluster.stop(i);
                // It reads the log that the earlier version wrote.
                ClusterNode unused = cluster.start(i, LATER);
                cluster.awaitReady();
                takeOnAll(cluster);
            }
            await().atMost(LONG).untilAsserted(() -> {
                takeOnAll(cluster);
                for (int i = 0; i < 3; i++) {
                    assertThat(cluster.node(i).format()).isEqualTo(CURRENT + 1);
                }
            });

            // There is no way back: the earlier version cannot read what is in the log now.
            cluster.stop(0);
            ClusterNode earlier = cluster.start(0, ClusterState.FORMATS);
            await().atMost(LONG)
                    .until(() -> String.valueOf(earlier.status().problem()).contains("versions do not fit"));
            assertThat(earlier.status().isReady()).isFalse();
            assertThat(take(cluster, 1)).isEqualTo(--left);
            cluster.stop(0);
            ClusterNode again = cluster.start(0, LATER);
            cluster.awaitReady();
            takeOnAll(cluster);
            assertThat(again.status().isReady()).isTrue();
        }
    }

    private void takeOnAll(LocalCluster cluster) {
        for (int i = 0; i < 3; i++) {
            assertThat(take(cluster, i)).isEqualTo(--left);
        }
    }

    private static long take(LocalCluster cluster, int node) {
        return cluster.node(node)
                .store()
                .consume(CHARGES)
                .await(LONG)
                .reading(0)
                .remaining();
    }

    @Test
    void snapshot_isReadByTheNextVersion_andByAnEarlierOneUntilTheNewFormatIsUsed() {
        ClusterState earlier = state(ClusterState.FORMATS);
        earlier.apply(batch(CURRENT, 1), new StoreTime(1_000, 1));
        ClusterState later = state(LATER);
        ClusterStateSnapshot.read(ClusterStateSnapshot.write(earlier), later);
        byte[] both = batch(CURRENT, 2);
        assertThat(later.apply(both, new StoreTime(2_000, 2))).isEqualTo(earlier.apply(both, new StoreTime(2_000, 2)));
        ClusterStateSnapshot.read(ClusterStateSnapshot.write(later), state(ClusterState.FORMATS));

        byte[] unknown = batch(CURRENT + 1, 3);
        later.apply(unknown, new StoreTime(3_000, 3));
        assertThatThrownBy(() -> earlier.apply(unknown, new StoreTime(3_000, 3)))
                .isInstanceOf(ClusterState.UnknownFormatException.class)
                .hasMessageContaining("has format " + (CURRENT + 1))
                .hasMessageContaining("run the version of the other nodes");
        byte[] snapshot = ClusterStateSnapshot.write(later);
        assertThatThrownBy(() -> ClusterStateSnapshot.read(snapshot, state(ClusterState.FORMATS)))
                .isInstanceOf(ClusterState.UnknownFormatException.class)
                .hasMessageContaining("a snapshot has format " + (CURRENT + 1));
    }

    private static ClusterState state(FormatRange formats) {
        return new ClusterState(100, new SettingsState(new JsonSettingsFormat()), formats);
    }

    private static byte[] batch(int format, int sequence) {
        PolicyModels models = new PolicyModels();
        List<StateCharge> lines = CHARGES.stream()
                .map(charge -> new StateCharge(charge.key().text(), models.of(charge.policy()), charge.cost()))
                .toList();
        return CommandBatch.write(
                format, 7, sequence, sequence, List.of(ClusterRequest.of(ClusterCommand.CONSUME, "", lines, 0)));
    }
}
