package dev.weir.benchmarks.cluster;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.StoreEnvironment;
import dev.weir.store.cluster.ClusterStore;
import dev.weir.store.cluster.ClusterStoreProvider;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.grid.infinispan.Bucket4jInfinispan;
import io.github.bucket4j.grid.infinispan.InfinispanProxyManager;
import io.github.bucket4j.grid.infinispan.serialization.Bucket4jProtobufContextInitializer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.infinispan.AdvancedCache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.functional.impl.FunctionalMapImpl;
import org.infinispan.functional.impl.ReadWriteMapImpl;
import org.infinispan.manager.DefaultCacheManager;

/** All who take part. */
final class Contestants {
    static final String WEIR = "weir";
    static final String BUCKET4J = "bucket4j";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SIZE = 3;

    private Contestants() {}

    static Contestant make(String name, int node, List<Integer> ports, Path data) throws Exception {
        return name.equals(WEIR) ? weir(node, ports, data) : bucket4j(node, ports);
    }

    private static Contestant weir(int node, List<Integer> ports, Path data) {
        List<String> members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        String uri = "cluster://bench?bind=" + members.get(node) + "&members=" + String.join(",", members)
                + "&patience=" + TIMEOUT.toMillis() + "ms";
        Store store = new ClusterStoreProvider()
                .open(uri, new StoreEnvironment(data, new JsonSettingsFormat()))
                .store();
        TokenBucket policy = TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1));
        Map<String, List<Charge>> charges = new ConcurrentHashMap<>();
        return new Contestant() {
            private List<Charge> charges(String key) {
                return charges.computeIfAbsent(key, k -> List.of(Charge.of(Key.of("limit", k), policy)));
            }

            @Override
            public boolean isReady() {
                try {
                    return check("ready");
                } catch (RuntimeException e) {
                    return false;
                }
            }

            @Override
            public boolean leads() {
                return ((ClusterStore) store).leads();
            }

            @Override
            public boolean check(String key) {
                return store.consume(charges(key)).await(TIMEOUT).admitted();
            }

            @Override
            public CompletionStage<Boolean> checkLater(String key) {
                CompletableFuture<Boolean> done = new CompletableFuture<>();
                store.consume(charges(key)).whenDone((decision, failure) -> {
                    if (decision == null) {
                        done.completeExceptionally(failure);
                    } else {
                        done.complete(decision.admitted());
                    }
                });
                return done;
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    /** Each bucket lives on two of the three nodes; the second is written before a check is answered. */
    private static Contestant bucket4j(int node, List<Integer> ports) throws Exception {
        System.setProperty("jgroups.bind.address", "127.0.0.1");
        System.setProperty("jgroups.bind.port", "" + ports.get(node));
        StringBuilder hosts = new StringBuilder();
        ports.forEach(port -> hosts.append(hosts.isEmpty() ? "" : ",")
                .append("127.0.0.1[")
                .append(port)
                .append(']'));
        System.setProperty("jgroups.tcpping.initial_hosts", hosts.toString());
        GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
        global.transport().clusterName("bench").addProperty("configurationFile", "weir-bench-jgroups.xml");
        global.serialization().addContextInitializer(new Bucket4jProtobufContextInitializer());
        DefaultCacheManager manager = new DefaultCacheManager(global.build());
        AdvancedCache<String, byte[]> cache = manager.administration()
                .withFlags(org.infinispan.commons.api.CacheContainerAdmin.AdminFlag.VOLATILE)
                .<String, byte[]>getOrCreateCache(
                        "buckets",
                        new ConfigurationBuilder()
                                .clustering()
                                .cacheMode(CacheMode.DIST_SYNC)
                                .hash()
                                .numOwners(2)
                                .build())
                .getAdvancedCache();
        InfinispanProxyManager<String> proxies = Bucket4jInfinispan.entryProcessorBasedBuilder(
                        ReadWriteMapImpl.<String, byte[]>create(FunctionalMapImpl.create(cache)))
                .build();
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(1_000_000).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                .build();
        Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();
        Map<String, AsyncBucketProxy> later = new ConcurrentHashMap<>();
        return new Contestant() {
            @Override
            public boolean isReady() {
                return manager.getMembers() != null && manager.getMembers().size() == SIZE;
            }

            @Override
            public boolean leads() {
                return cache.getDistributionManager()
                        .getCacheTopology()
                        .getDistribution("hot")
                        .isPrimary();
            }

            @Override
            public boolean check(String key) {
                return buckets.computeIfAbsent(key, k -> proxies.builder().build(k, () -> configuration))
                        .tryConsume(1);
            }

            @Override
            public CompletionStage<Boolean> checkLater(String key) {
                return later.computeIfAbsent(
                                key,
                                k -> proxies.asAsync()
                                        .builder()
                                        .build(k, () -> CompletableFuture.completedFuture(configuration)))
                        .tryConsume(1);
            }

            @Override
            public void close() {
                manager.stop();
            }
        };
    }
}
