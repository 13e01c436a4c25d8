package dev.weir.store.redis;

import static org.awaitility.Awaitility.await;

import dev.weir.fixture.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Groups of Redis servers: clusters, and masters with replicas and Sentinels. */
final class RedisTopologies {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

    private RedisTopologies() {}

    /** Three masters, each with a third of the slots. */
    static Cluster cluster(int replicas) {
        List<RedisProcess> nodes = new ArrayList<>();
        for (int i = 0; i < 3 + replicas; i++) {
            nodes.add(RedisProcess.start(
                    "--cluster-enabled",
                    "yes",
                    "--cluster-node-timeout",
                    "1500",
                    "--cluster-replica-validity-factor",
                    "0"));
        }
        int[] bounds = {0, 5461, 10923, 16384};
        for (int i = 0; i < 3; i++) {
            int from = bounds[i];
            int to = bounds[i + 1] - 1;
            ask(
                    nodes.get(i),
                    redis -> redis.clusterAddSlots(
                            java.util.stream.IntStream.rangeClosed(from, to).toArray()));
        }
        for (RedisProcess node : nodes.subList(1, nodes.size())) {
            ask(node, redis -> redis.clusterMeet("127.0.0.1", nodes.get(0).port()));
        }
        await().atMost(START_TIMEOUT)
                .until(() -> nodes.stream()
                        .allMatch(node ->
                                ask(node, RedisCommands::clusterNodes).lines().count() == nodes.size()));
        for (int i = 0; i < replicas; i++) {
            String master = ask(nodes.get(i), RedisCommands::clusterMyId);
            RedisProcess replica = nodes.get(3 + i);
            await().atMost(START_TIMEOUT)
                    .ignoreExceptions()
                    .until(() -> ask(replica, redis -> redis.clusterReplicate(master))
                            .equals("OK"));
        }
        await().atMost(START_TIMEOUT)
                .until(() -> nodes.stream()
                        .allMatch(node -> ask(node, RedisCommands::clusterInfo).contains("cluster_state:ok")));
        if (replicas > 0) {
            await().atMost(START_TIMEOUT)
                    .until(() -> nodes.subList(3, nodes.size()).stream()
                            .allMatch(node -> ask(node, redis -> redis.info("replication"))
                                    .contains("master_link_status:up")));
        }
        return new Cluster(nodes);
    }

    record Cluster(List<RedisProcess> nodes) implements AutoCloseable {
        RedisStoreOptions options() {
            return RedisStoreOptions.parse("redis-cluster://"
                    + String.join(
                            ",",
                            nodes.stream()
                                    .map(node -> "127.0.0.1:" + node.port())
                                    .toList()));
        }

        @Override
        public void close() {
            nodes.forEach(RedisProcess::close);
        }
    }

    /** A master, a replica, and three Sentinels that watch them. */
    static Watched watched() {
        RedisProcess master = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port());
        await().atMost(START_TIMEOUT)
                .until(() -> ask(replica, redis -> redis.info("replication")).contains("master_link_status:up"));
        List<RedisProcess> sentinels = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisProcess.sentinel(configuration(master.port())));
        }
        await().atMost(START_TIMEOUT)
                .until(() -> sentinels.stream().allMatch(sentinel -> {
                    String info = ask(sentinel, redis -> redis.info("sentinel"));
                    return info.contains("slaves=1") && info.contains("sentinels=3");
                }));
        return new Watched(master, replica, sentinels);
    }

    record Watched(RedisProcess master, RedisProcess replica, List<RedisProcess> sentinels) implements AutoCloseable {
        String uri() {
            return "redis-sentinel://"
                    + String.join(
                            ",",
                            sentinels.stream()
                                    .map(node -> "127.0.0.1:" + node.port())
                                    .toList()) + "/mymaster";
        }

        @Override
        public void close() {
            sentinels.forEach(RedisProcess::close);
            replica.close();
            master.close();
        }
    }

    private static String configuration(int masterPort) {
        return "sentinel monitor mymaster 127.0.0.1 " + masterPort + " 2\n"
                + "sentinel down-after-milliseconds mymaster 500\n"
                + "sentinel failover-timeout mymaster 2000\n"
                + "sentinel parallel-syncs mymaster 1\n";
    }

    /** Asks one node, on a connection of its own. */
    static <T> T ask(RedisProcess node, Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", node.port()));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }
}
