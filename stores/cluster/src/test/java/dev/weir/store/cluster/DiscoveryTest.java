package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.fixture.Ports;
import dev.weir.spi.StoreEnvironment;
import dev.weir.store.consensus.LogClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that find each other by multicast or by name, and nodes that do not belong. */
@Tag("io")
class DiscoveryTest {
    private static final Duration LONG = Duration.ofSeconds(90);

    private final List<ClusterNode> nodes = new ArrayList<>();

    @AfterEach
    void end() {
        nodes.forEach(ClusterNode::halt);
    }

    private ClusterNode start(String uri) {
        try {
            ClusterNode node =
                    ClusterNode.start(ClusterUri.parse(uri), null, new JsonSettingsFormat(), LogClock.Clock.SYSTEM);
            nodes.add(node);
            return node;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void startAndTakeTogether(IntFunction<String> uri) {
        for (int i = 0; i < 3; i++) {
            start(uri.apply(i));
        }
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> nodes.stream().allMatch(node -> node.status().isReady()));
        List<Charge> charges = List.of(Charge.of(Key.of("met"), FixedWindow.of(3, Duration.ofDays(300))));
        for (ClusterNode node : nodes) {
            assertThat(node.store().consume(charges).await(LONG).admitted()).isTrue();
        }
        assertThat(nodes.get(0).store().consume(charges).await(LONG).admitted()).isFalse();
    }

    @Test
    void multicast_nodesThatSayWhereTheyAre_meet() {
        int group = Ports.reserve();
        startAndTakeTogether(i -> "cluster://cast?bind=127.0.0.1:" + Ports.reserve() + "&multicast=239.77.1.2:" + group
                + "&node=" + i + "&nodes=3" + Certificates.options("node"));
    }

    @Test
    void dns_nodesBehindOneName_meetAndFindTheOneThatMoved(@TempDir Path data) {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux"), "only Linux listens anywhere in 127.0.0.0/8");
        try (ProcessCluster cluster = ProcessCluster.behindOneName(3, data).startAll()) {
            assertThat(cluster.tell(0, "race met 5 2")).isEqualTo("2 0");
            assertThat(cluster.tell(2, "race met 5 2")).isEqualTo("2 0");
            int moving = cluster.leader();
            cluster.stop(moving);
            cluster.move(moving);
            cluster.start(moving);
            cluster.awaitReady();
            assertThat(cluster.tell(moving, "race met 5 10")).isEqualTo("1 0");
        }
    }

    private static String listed(List<Integer> ports, int node, String options) {
        return "cluster://listed?bind=127.0.0.1:" + ports.get(node) + "&members=127.0.0.1:" + ports.get(0)
                + ",127.0.0.1:" + ports.get(1) + ",127.0.0.1:" + ports.get(2) + options;
    }

    @Test
    void certificateOfAnotherCluster_isRefusedAndSaysSo() {
        List<Integer> ports = List.of(Ports.reserve(), Ports.reserve(), Ports.reserve());
        start(listed(ports, 0, Certificates.options("node")));
        start(listed(ports, 1, Certificates.options("node")));
        ClusterNode wrong = start(listed(ports, 2, Certificates.options("stranger")));
        await().atMost(LONG)
                .until(() ->
                        nodes.get(0).status().isReady() && nodes.get(1).status().isReady());
        await().atMost(LONG)
                .until(() -> String.valueOf(wrong.status().problem()).contains("certificate"));
        assertThat(wrong.status().isReady()).isFalse();
        assertThat(nodes.get(0).status().isReady()).isTrue();
    }

    @Test
    void address_thatIsTaken_isNamedWithWhatToDo() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> new ClusterStoreProvider()
                            .open(
                                    "cluster://one?bind=127.0.0.1:" + port + "&members=127.0.0.1:" + port,
                                    new StoreEnvironment(null, new JsonSettingsFormat())))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("bind=127.0.0.1:" + port)
                    .hasMessageContaining("in use");
        }
    }
}
