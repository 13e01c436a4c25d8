package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast an engine is, roughly: to compare engines, not to judge one. Runs with {@code -Dweir.cluster.speed}. */
@Tag("long")
class EngineSpeedIT {
    @TempDir
    Path data;

    @Test
    void speed_ofTheLeaderAndAFollower() {
        try (ProcessCluster cluster = new ProcessCluster(3, data, Network.loopback(), "").startAll()) {
            int leader = cluster.leader();
            for (int node : new int[] {leader, (leader + 1) % 3}) {
                String where = node == leader ? "leader" : "follower";
                for (String load : new String[] {"64 10000 3000", "1 1 3000", "64 1 3000", "64 10000 3000"}) {
                    String measured = cluster.tell(node, "measure " + load);
                    System.out.println(where + ", callers keys millis " + load + ": " + measured);
                    assertThat(measured).endsWith("failed=0");
                }
            }
        }
    }
}
