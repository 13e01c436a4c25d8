package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.remote.BatcherOptions;
import dev.weir.remote.SpinWait;
import dev.weir.store.scripted.KeyName;
import dev.weir.store.scripted.KeyNames;
import dev.weir.store.scripted.ScriptLink;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection to Redis. It reconnects by itself and queues nothing while it is disconnected.
 *
 * <p>A call that is in flight when the connection breaks fails and is not repeated, because the script may have run.
 * Safe for use by several threads.
 */
final class RedisLink implements ScriptLink {
    /** Minimum timeout for connecting; calls use the store's timeout. */
    private static final Duration SHORTEST_CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private static final int CONNECT_ATTEMPTS = 3;
    private static final Duration RECONNECT_EVERY = Duration.ofMillis(100);
    /** Maximum number of commands in flight. Calls are few, because each carries a batch of requests. */
    private static final int MOST_UNDER_WAY = 4_096;
    /**
     * For callers that wait in threads, one call carries all equal checks, which cost Redis as much as one, and two
     * calls share different checks: Redis works on one while the results of the other are delivered. For callbacks,
     * four calls share all checks (ADR 103).
     */
    private static final BatcherOptions BATCHING = BatcherOptions.defaults()
            .withMaxInFlight(2, 4)
            .withMinConcurrentBatch(4)
            .withMaxBatch(1_024);

    private static final int LOOPS = 2;

    private final RedisStoreOptions options;
    private final ClientResources resources;
    private final DefaultEventLoopGroupProvider loops;
    private final @Nullable SpinWait spinWait;
    private final AbstractRedisClient client;
    private final RedisClusterAsyncCommands<byte[], byte[]> commands;
    /** Null unless the topology is Redis Cluster. */
    private final @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster;

    /** Null if decisions do not wait for replicas. */
    private final @Nullable ReplicaWait replicated;

    private final boolean lent;

    private RedisLink(
            RedisStoreOptions options,
            ClientResources resources,
            DefaultEventLoopGroupProvider loops,
            @Nullable SpinWait spinWait,
            AbstractRedisClient client,
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster,
            boolean lent) {
        this.options = options;
        this.resources = resources;
        this.loops = loops;
        this.spinWait = spinWait;
        this.client = client;
        this.commands = commands;
        this.cluster = cluster;
        this.lent = lent;
        this.replicated = options.replicas() > 0 ? new ReplicaWait(this, options) : null;
    }

    /**
     * Connects.
     *
     * @throws StoreException if Redis cannot be reached or rejects the login
     */
    static RedisLink open(RedisStoreOptions options) {
        SpinWait spinWait = options.spin() ? SpinWait.spinning() : null;
        DefaultEventLoopGroupProvider loops =
                spinWait == null ? new DefaultEventLoopGroupProvider(LOOPS) : new SpinningEventLoops(LOOPS, spinWait);
        ClientResources resources = DefaultClientResources.builder()
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(2)
                .reconnectDelay(Delay.constant(RECONNECT_EVERY))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
        AbstractRedisClient client = null;
        try {
            if (options.topology() == RedisStoreOptions.Topology.CLUSTER) {
                RedisClusterClient cluster = RedisClusterClient.create(resources, uris(options));
                client = cluster;
                cluster.setOptions(clusterOptions(options));
                StatefulRedisClusterConnection<byte[], byte[]> connection =
                        connected(() -> cluster.connect(ByteArrayCodec.INSTANCE));
                RedisLink link = new RedisLink(
                        options, resources, loops, spinWait, cluster, connection.async(), connection, false);
                link.connectToAll();
                return link;
            }
            RedisClient single = RedisClient.create(resources, uris(options).get(0));
            client = single;
            single.setOptions(configured(ClientOptions.builder(), options).build());
            StatefulRedisConnection<byte[], byte[]> connection =
                    connected(() -> single.connect(ByteArrayCodec.INSTANCE));
            return new RedisLink(options, resources, loops, spinWait, single, connection.async(), null, false);
        } catch (RuntimeException e) {
            shutdown(client, resources, loops);
            throw RedisFailure.whenConnecting("Redis at " + places(options), e);
        }
    }

    /**
     * Connects, again if Lettuce has lost the reason of a failure: in a few of a thousand logins with a wrong password it
     * notices that the connection is closed before it notices the response.
     */
    private static <T> T connected(Supplier<T> connect) {
        for (int left = CONNECT_ATTEMPTS - 1; ; left--) {
            try {
                return connect.get();
            } catch (RedisConnectionException e) {
                if (left == 0 || !RedisFailure.hasLostReason(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Connects to every master. Lettuce would otherwise connect on the first call to a master, which could then fail.
     */
    private void connectToAll() {
        KeyNames names = new KeyNames(options.prefix());
        Duration timeout = connectTimeout(options);
        long end = System.nanoTime() + timeout.toNanos();
        for (int tag = 0; tag < KeyNames.TAGS; tag++) {
            byte[] key = names.clock(tag).bytes();
            while (true) {
                try {
                    commands.exists(key).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
                    break;
                } catch (ExecutionException | TimeoutException e) {
                    if (System.nanoTime() > end) {
                        throw new IllegalStateException(RedisFailure.reason(e), e);
                    }
                    LockSupport.parkNanos(RECONNECT_EVERY.toNanos() / 10);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted while connecting", e);
                }
            }
        }
    }

    /** A view of the same connection whose {@code close} is a no-op. */
    RedisLink sharedView() {
        return new RedisLink(options, resources, loops, spinWait, client, commands, cluster, true);
    }

    /** The commands of the connection, for use without a script. */
    RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return commands;
    }

    @Override
    public String name() {
        return "Redis at " + places(options);
    }

    @Override
    public Duration timeout() {
        return options.timeout();
    }

    /** True for Redis Cluster, where each tag is a hash tag and so belongs to one hash slot. */
    @Override
    public boolean isPartitioned() {
        return options.topology() == RedisStoreOptions.Topology.CLUSTER;
    }

    @Override
    public BatcherOptions batching() {
        // A connection's later calls wait while Redis waits for replicas: with more of them, the last would time out.
        BatcherOptions batching = replicated == null ? BATCHING : BATCHING.withMaxInFlight(2);
        return batching.withSpinWait(spinWait);
    }

    @Override
    public CompletionStage<byte[]> decide(int tag, byte[][] keys, byte[][] arguments) {
        CompletionStage<byte[]> made = replicated == null
                ? run(Script.DECIDE, ScriptOutputType.VALUE, keys, arguments)
                : replicated.decide(keys, arguments);
        if (spinWait != null) {
            spinWait.callLeft(made);
        }
        return made;
    }

    @Override
    public CompletionStage<Optional<byte[]>> note(KeyName name) {
        return commands.get(name.bytes()).thenApply(Optional::ofNullable);
    }

    @Override
    public CompletionStage<?> note(KeyName name, byte[] text, long ttlMillis) {
        return commands.set(name.bytes(), text, SetArgs.Builder.px(ttlMillis));
    }

    @Override
    public CompletionStage<?> extendNote(KeyName name, long ttlMillis) {
        return commands.pexpire(name.bytes(), ttlMillis);
    }

    @Override
    public StoreException failed(Throwable failure) {
        return RedisFailure.whenCalling(name(), failure);
    }

    /** Runs a script with one result by its digest; if Redis does not have the script, runs it once by its text. */
    <T> CompletionStage<T> run(Script script, ScriptOutputType type, byte[][] keys, byte[]... arguments) {
        return run(commands, script, type, keys, arguments);
    }

    /** Runs a script on a connection from {@link #masterOf} or {@link #masterAt}. */
    <T> CompletionStage<T> run(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            Script script,
            ScriptOutputType type,
            byte[][] keys,
            byte[]... arguments) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        CompletionStage<T> first = commands.evalsha(script.digest(), type, keys, arguments);
        var unused = first.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else if (failure instanceof RedisNoScriptException) {
                CompletionStage<T> second = commands.eval(script.text(), type, keys, arguments);
                var unusedToo = second.whenComplete((late, again) -> {
                    if (again == null) {
                        answer.complete(late);
                    } else {
                        answer.completeExceptionally(again);
                    }
                });
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    /** The commands of the master of a key, by the last known topology. All of them use one connection. */
    CompletionStage<RedisClusterAsyncCommands<byte[], byte[]>> masterOf(byte[] key) {
        if (cluster == null) {
            return CompletableFuture.completedFuture(commands);
        }
        RedisClusterNode master = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
        if (master == null) {
            return CompletableFuture.failedFuture(new StoreException("no master is known for a slot", true, null));
        }
        return masterAt(master.getUri().getHost(), master.getUri().getPort());
    }

    /** The commands of a master of Redis Cluster. */
    CompletionStage<RedisClusterAsyncCommands<byte[], byte[]>> masterAt(String host, int port) {
        return Objects.requireNonNull(cluster).getConnectionAsync(host, port).thenApply(StatefulRedisConnection::async);
    }

    /** Refreshes the topology of Redis Cluster in the background. */
    void refreshTopology() {
        if (client instanceof RedisClusterClient clusterClient) {
            var unused = clusterClient.refreshPartitionsAsync();
        }
    }

    /** Opens a connection for publish/subscribe, which reconnects by itself. */
    StatefulRedisPubSubConnection<String, String> listen() {
        return client instanceof RedisClusterClient cluster
                ? cluster.connectPubSub(StringCodec.UTF8)
                : ((RedisClient) client).connectPubSub(StringCodec.UTF8);
    }

    @Override
    public void close() {
        if (!lent) {
            shutdown(client, resources, loops);
        }
    }

    private static void shutdown(
            @Nullable AbstractRedisClient client, ClientResources resources, DefaultEventLoopGroupProvider loops) {
        if (client != null) {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
        var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
        // Lettuce does not shut down an event loop group that was passed to it.
        var unusedToo = loops.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private static Duration connectTimeout(RedisStoreOptions options) {
        return options.timeout().compareTo(SHORTEST_CONNECT_TIMEOUT) > 0 ? options.timeout() : SHORTEST_CONNECT_TIMEOUT;
    }

    private static String places(RedisStoreOptions options) {
        return String.join(",", options.nodes().stream().map(Object::toString).toList());
    }

    private static ClusterClientOptions clusterOptions(RedisStoreOptions options) {
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                        .enablePeriodicRefresh(Duration.ofSeconds(10))
                        .build())
                .validateClusterNodeMembership(false);
        configured(builder, options);
        return builder.build();
    }

    private static ClientOptions.Builder configured(ClientOptions.Builder builder, RedisStoreOptions options) {
        builder.autoReconnect(true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                // Never replays a command: one in flight when the connection broke may have run.
                .replayFilter(command -> true)
                .requestQueueSize(MOST_UNDER_WAY)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectTimeout(options))
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build());
        MaintenanceNotifications.disable(builder);
        if (options.authority() != null) {
            builder.sslOptions(SslOptions.builder()
                    .trustManager(options.authority().toFile())
                    .build());
        }
        return builder;
    }

    private static List<RedisURI> uris(RedisStoreOptions options) {
        if (options.topology() == RedisStoreOptions.Topology.SENTINEL) {
            RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(options.master());
            options.nodes().forEach(node -> builder.withSentinel(node.host(), node.port()));
            return List.of(finished(builder, options));
        }
        return options.nodes().stream()
                .map(node -> finished(RedisURI.builder().withHost(node.host()).withPort(node.port()), options))
                .toList();
    }

    private static RedisURI finished(RedisURI.Builder builder, RedisStoreOptions options) {
        builder.withDatabase(options.database()).withSsl(options.tls()).withTimeout(connectTimeout(options));
        RedisStoreOptions.Login login = options.login();
        if (login != null && login.user().isEmpty()) {
            builder.withPassword(login.password().toCharArray());
        } else if (login != null) {
            builder.withAuthentication(login.user(), login.password().toCharArray());
        }
        return builder.build();
    }
}
