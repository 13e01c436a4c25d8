package dev.weir.store.cluster;

import dev.weir.Store;
import dev.weir.store.consensus.LogClock;
import dev.weir.testkit.Ability;
import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreOnFakeClock;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** Three nodes on real connections, asked through one that does not lead, on a given clock. */
@Tag("io")
class ClusterStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new ThreeNodes();
    }

    @Override
    protected int thinning() {
        return 10;
    }

    @Override
    protected Set<Ability> missing() {
        // The vectors, of which each needs a new cluster, are those of the state machine: see ClusterStateContractTest.
        return Set.of(Ability.MICROSECONDS);
    }

    @Override
    protected int histories() {
        return 1;
    }

    private static final class ThreeNodes extends StoreOnFakeClock {
        private static final Duration LONG = Duration.ofSeconds(90);
        private final LocalCluster cluster = new LocalCluster(
                3,
                new LogClock.Clock() {
                    @Override
                    public long nanos() {
                        return clock.nanos();
                    }

                    @Override
                    public long epochMillis() {
                        return clock.epochMillis();
                    }
                },
                null);
        private final ClusterStore store = cluster.node(cluster.follower()).store();

        @Override
        public Store store() {
            return store;
        }

        @Override
        public void sweep() {
            store.sweep(Integer.MAX_VALUE).await(LONG);
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
