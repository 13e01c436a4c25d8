package dev.weir.benchmarks.cluster;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.StoreEnvironment;
import dev.weir.store.cluster.ClusterStore;
import dev.weir.store.cluster.ClusterStoreProvider;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.grid.infinispan.Bucket4jInfinispan;
import io.github.bucket4j.grid.infinispan.InfinispanProxyManager;
import io.github.bucket4j.grid.infinispan.serialization.Bucket4jProtobufContextInitializer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.functional.impl.FunctionalMapImpl;
import org.infinispan.functional.impl.ReadWriteMapImpl;
import org.infinispan.manager.DefaultCacheManager;

/** All contestants of the cluster benchmark. */
final class Contestants {
    static final String WEIR = "weir";
    static final String BUCKET4J = "bucket4j";

    private Contestants() {}

    /**
     * A contestant in one of the three JVMs.
     *
     * @param isReady whether it sees all three nodes
     * @param leads whether this node makes the hot key's decisions
     */
    record Node(Contestant contestant, BooleanSupplier isReady, BooleanSupplier leads) {}

    static Node make(String name, int node, List<Integer> ports, Path data) throws Exception {
        return name.equals(WEIR) ? weir(node, ports, data) : bucket4j(node, ports);
    }

    private static Node weir(int node, List<Integer> ports, Path data) {
        List<String> members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        String uri = "cluster://bench?bind=" + members.get(node) + "&members=" + String.join(",", members)
                + "&patience=" + Contestant.TIMEOUT.toMillis() + "ms";
        Store store = new ClusterStoreProvider()
                .open(uri, new StoreEnvironment(data, new JsonSettingsFormat()))
                .store();
        TokenBucket policy = TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1));
        Map<String, List<Charge>> charges = new ConcurrentHashMap<>();
        Contestant contestant = Contestant.weir(
                WEIR, store, key -> charges.computeIfAbsent(key, k -> List.of(Charge.of(Key.of("limit", k), policy))));
        return new Node(
                contestant,
                () -> {
                    try {
                        return contestant.check().test("ready");
                    } catch (RuntimeException e) {
                        return false;
                    }
                },
                ((ClusterStore) store)::leads);
    }

    /** Each bucket is on two of the three nodes; the second is written before a check completes. */
    private static Node bucket4j(int node, List<Integer> ports) throws Exception {
        System.setProperty("jgroups.bind.address", "127.0.0.1");
        System.setProperty("jgroups.bind.port", "" + ports.get(node));
        System.setProperty(
                "jgroups.tcpping.initial_hosts",
                ports.stream().map(port -> "127.0.0.1[" + port + "]").collect(Collectors.joining(",")));
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
        return new Node(
                Contestant.bucket4j(BUCKET4J, proxies, Optimization.NONE_OPTIMIZED, manager::stop),
                () -> manager.getMembers() != null && manager.getMembers().size() == Nodes.SIZE,
                () -> cache.getDistributionManager()
                        .getCacheTopology()
                        .getDistribution("hot")
                        .isPrimary());
    }
}
