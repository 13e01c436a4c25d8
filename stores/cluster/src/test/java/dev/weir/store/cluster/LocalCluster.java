package dev.weir.store.cluster;

import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.store.consensus.FormatRange;
import dev.weir.store.consensus.LogClock;
import dev.weir.store.consensus.NodeDetails;
import dev.weir.store.consensus.Timing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Several nodes in this process, on real connections. */
final class LocalCluster implements AutoCloseable {
    private static final Timing FAST = new Timing(Duration.ofMillis(300), Duration.ofMillis(500));

    private final int size;
    private final LogClock.Clock clock;
    private final @Nullable Path data;
    private final AtomicReferenceArray<ClusterNode> nodes;
    private final AtomicReferenceArray<InetSocketAddress> addresses;

    LocalCluster(int size, LogClock.Clock clock, @Nullable Path data) {
        this.size = size;
        this.clock = clock;
        this.data = data;
        this.nodes = new AtomicReferenceArray<>(size);
        this.addresses = new AtomicReferenceArray<>(size);
        for (int i = 0; i < size; i++) {
            start(i);
        }
        awaitReady();
    }

    ClusterNode start(int node) {
        return start(node, ClusterState.FORMATS);
    }

    /** Starts a node of a version that reads these formats. */
    ClusterNode start(int node, FormatRange formats) {
        try {
            ClusterNode started = ClusterNode.start(
                    uri(node),
                    data == null ? null : data.resolve("node" + node),
                    new JsonSettingsFormat(),
                    clock,
                    formats);
            addresses.set(node, new InetSocketAddress("127.0.0.1", started.port()));
            nodes.set(node, started);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ClusterUri uri(int node) {
        return new ClusterUri(
                "test",
                "node-" + node,
                IntStream.range(0, size).mapToObj(i -> "node-" + i).toList(),
                new InetSocketAddress("127.0.0.1", 0),
                other -> {
                    InetSocketAddress address = addresses.get(Integer.parseInt(other.substring(5)));
                    return address == null ? List.of() : List.of(address);
                },
                null,
                false,
                true,
                FAST,
                Duration.ofSeconds(60));
    }

    void stop(int node) {
        nodes.getAndSet(node, null).store().close();
    }

    void awaitReady() {
        try {
            await().pollInterval(Duration.ofMillis(2)).until(() -> {
                for (int i = 0; i < size; i++) {
                    if (nodes.get(i) != null && !nodes.get(i).status().isReady()) {
                        return false;
                    }
                }
                return true;
            });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not ready: " + describe(), e);
        }
    }

    /** The state of every node. A file, which stays after the test, has JRaft's view and all threads. */
    private String describe() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < size; i++) {
            ClusterNode node = nodes.get(i);
            all.append("\nnode ").append(i).append(": ").append(node == null ? "closed" : node.status());
        }
        return all.append("\ndetails: ").append(NodeDetails.write()).toString();
    }

    ClusterNode node(int node) {
        return nodes.get(node);
    }

    int leader() {
        for (int i = 0; i < size; i++) {
            if (nodes.get(i) != null && nodes.get(i).status().isLeader()) {
                return i;
            }
        }
        throw new IllegalStateException("there is no leader");
    }

    int follower() {
        return (leader() + 1) % size;
    }

    @Override
    public void close() {
        for (int i = 0; i < size; i++) {
            ClusterNode node = nodes.getAndSet(i, null);
            if (node != null) {
                node.halt();
            }
        }
    }
}
