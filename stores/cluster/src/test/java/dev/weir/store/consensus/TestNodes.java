package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Nodes in this process on loopback, whose state machine returns what it is given. */
final class TestNodes implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(90);
    static final String NAME = "payments-eu";
    static final List<String> FOUNDERS = List.of("billing-0", "billing-1", "billing-2");
    private static final Timing TIMING = new Timing(Duration.ofMillis(500), Duration.ofMillis(400));

    final Map<String, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    /** Where the other nodes find a node, if not at its address. */
    final Map<String, InetSocketAddress> routes = new ConcurrentHashMap<>();

    final Map<String, JRaftNode> nodes = new TreeMap<>();
    private final @Nullable Path data;

    /** @param data null for temporary directories */
    TestNodes(@Nullable Path data) {
        this.data = data;
        FOUNDERS.forEach(this::address);
    }

    InetSocketAddress address(String name) {
        return addresses.computeIfAbsent(
                name, key -> new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve()));
    }

    static Path certificate(String file) {
        return Path.of(URI.create(Objects.requireNonNull(TestNodes.class.getResource("/certificates/" + file))
                .toString()));
    }

    static TlsFiles tls(String name) {
        return new TlsFiles(
                certificate(name + ".pem"),
                certificate(name + ".key"),
                certificate(name.equals("stranger") ? "other-ca.pem" : "ca.pem"),
                null);
    }

    TestNodes startTwoOfThree(@Nullable TlsFiles tls) throws IOException {
        start(FOUNDERS.get(0), FOUNDERS, 1, tls);
        start(FOUNDERS.get(1), FOUNDERS, 1, tls);
        awaitReady();
        return this;
    }

    /** Tries again while the port of a node that was just closed is still taken. */
    JRaftNode start(String name, List<String> founders, int format, @Nullable TlsFiles tls) throws IOException {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (true) {
            try {
                return startNow(name, founders, format, tls);
            } catch (IOException e) {
                if (!String.valueOf(e.getMessage()).contains("in use") || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    private JRaftNode startNow(String name, List<String> founders, int format, @Nullable TlsFiles tls)
            throws IOException {
        JRaftNode node = new JRaftNode(
                new ConsensusOptions(
                        NAME,
                        name,
                        founders,
                        address(name),
                        peer -> addresses.containsKey(peer)
                                ? List.of(routes.getOrDefault(peer, address(peer)))
                                : List.of(),
                        data == null ? null : data.resolve(name),
                        new FormatRange(format, format),
                        tls,
                        true,
                        TIMING,
                        Duration.ofSeconds(60),
                        LogClock.Clock.SYSTEM),
                new Echo());
        nodes.put(name, node);
        node.start();
        return node;
    }

    /** Returns what it is given. */
    static final class Echo implements Consensus.State {
        @Override
        public byte[] apply(Entry entry) {
            return entry.body();
        }

        @Override
        public Consensus.Encoder capture() {
            return out -> {};
        }

        @Override
        public void restore(byte[] snapshot) {}
    }

    void awaitReady() {
        awaitThat(
                "not ready",
                () -> nodes.values().stream().allMatch(node -> node.status().isReady()));
    }

    /** A failure has the state of every node. */
    void awaitThat(String failure, Callable<Boolean> condition) {
        try {
            await().atMost(LONG).until(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    failure + ": "
                            + nodes.values().stream().map(JRaftNode::status).toList() + "\ndetails: "
                            + NodeDetails.write(),
                    e);
        }
    }

    JRaftNode leader() {
        await().atMost(LONG)
                .until(() ->
                        nodes.values().stream().anyMatch(node -> node.status().isLeader()));
        return nodes.values().stream()
                .filter(node -> node.status().isLeader())
                .findFirst()
                .orElseThrow();
    }

    void assertAllServe() throws Exception {
        for (JRaftNode node : new ArrayList<>(nodes.values())) {
            byte[] body = {1, 2, 3};
            assertThat(node.submit(body, false).toCompletableFuture().get(90, TimeUnit.SECONDS))
                    .isEqualTo(body);
            assertThat(node.status().term()).as("the term").isLessThan(1_000);
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(JRaftNode::halt);
    }
}
