package dev.weir.store.cluster;

import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.store.consensus.LogClock;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Instant;
import org.junit.jupiter.api.Tag;

/**
 * Three nodes on real connections and their own clocks, asked through one that does not lead.
 *
 * <p>Only what any clock has in common: when a busy machine changes the leader, the cluster's time stands still meanwhile.
 */
@Tag("io")
class ClusterStoreRunningClockContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        LocalCluster cluster = new LocalCluster(3, LogClock.Clock.SYSTEM, null);
        Store store = cluster.node(cluster.follower()).store();
        return new StoreUnderTest() {
            @Override
            public Store store() {
                return store;
            }

            @Override
            public Timing timing() {
                return Timing.sinceEpoch(Resolution.MICROS, Instant.EPOCH);
            }

            @Override
            public void close() {
                cluster.close();
            }
        };
    }

    @Override
    protected int thinning() {
        return 10;
    }
}
