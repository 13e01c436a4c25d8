package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The longest wait of a call while three nodes take snapshots of a million keys. Needs an idle machine; runs with {@code
 * -Dweir.cluster.speed}.
 */
@Tag("long")
class SnapshotWaitIT {
    private static final int KEYS = Integer.getInteger("weir.cluster.keys", 1_000_000);
    private static final int STEP = KEYS / 10;

    @TempDir
    Path data;

    @Test
    @Timeout(1_800)
    void calls_duringSnapshotsOfAMillionKeys_waitLessThanHalfASecond() {
        try (ProcessCluster cluster = new ProcessCluster(3, data, Network.loopback(), "")
                .withJvmOptions("-Xmx1200m", "-XX:+UseG1GC")
                .startAll()) {
            for (int from = 0; from < KEYS; from += STEP) {
                assertThat(cluster.tell(0, "fill " + STEP + " " + from)).isEqualTo("failed=0");
            }
            System.out.println("calls without snapshots: " + load(cluster, 0));
            List<String> before = snapshots(cluster);
            cluster.loadAll(2);
            for (int i = 0; !haveAllChanged(before, snapshots(cluster)); i++) {
                assertThat(i).as("fills without a snapshot on every node").isLessThan(100);
                assertThat(cluster.tell(i % 3, "fill " + STEP + " " + i % 10 * STEP + " 100"))
                        .isEqualTo("failed=0");
            }
            List<String> said = cluster.stopLoad();
            System.out.println("calls while three nodes took snapshots of " + KEYS + " keys: " + said);
            assertThat(said).allSatisfy(line -> {
                assertThat(line).startsWith("failures=0 ");
                assertThat(Long.parseLong(line.replaceFirst(".*longest=", ""))).isLessThan(500);
            });
        }
    }

    private static List<String> load(ProcessCluster cluster, int node) {
        cluster.loadAll(2);
        assertThat(cluster.tell(node, "fill " + STEP + " 0 100")).isEqualTo("failed=0");
        return cluster.stopLoad();
    }

    private static boolean haveAllChanged(List<String> before, List<String> now) {
        return IntStream.range(0, before.size())
                .noneMatch(node -> before.get(node).equals(now.get(node)));
    }

    private static List<String> snapshots(ProcessCluster cluster) {
        return IntStream.range(0, 3)
                .mapToObj(node -> cluster.tell(node, "status").replaceFirst(".*snapshot=(\\d+).*", "$1"))
                .toList();
    }
}
