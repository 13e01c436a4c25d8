package dev.weir.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Three masters for all contracts; each test has its own prefix. They end with this process. */
final class SharedRedisCluster {
    private static final RedisTopologies.Cluster CLUSTER = RedisTopologies.cluster(0);
    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final RedisLink LINK = RedisLink.open(options());

    private SharedRedisCluster() {}

    static RedisStoreOptions options() {
        return CLUSTER.options().withPrefix("c" + PREFIXES.incrementAndGet()).withTimeout(Duration.ofMinutes(1));
    }

    /** One set of connections for those who only need a new, empty store. */
    static RedisLink link() {
        return LINK.sharedView();
    }
}
