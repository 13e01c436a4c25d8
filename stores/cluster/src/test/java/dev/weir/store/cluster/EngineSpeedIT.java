package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast both modes are, roughly: to compare them, not to judge one. Runs with {@code -Dweir.cluster.speed}. */
@Tag("long")
class EngineSpeedIT {
    @TempDir
    Path data;

    @ParameterizedTest
    @ValueSource(strings = {"&sync=true", "&sync=false"})
    void speed_ofTheLeaderAndAFollower(String options) {
        try (ProcessCluster cluster = new ProcessCluster(3, data, Network.loopback(), options).startAll()) {
            int leader = cluster.leader();
            for (int node : new int[] {leader, (leader + 1) % 3}) {
                String where = options + ", " + (node == leader ? "leader" : "follower");
                for (String load : new String[] {"64 10000 3000", "1 1 3000", "64 1 3000", "64 10000 3000"}) {
                    String measured = cluster.tell(node, "measure " + load);
                    System.out.println(where + ", callers keys millis " + load + ": " + measured);
                    assertThat(measured).endsWith("failed=0");
                }
            }
        }
    }
}
