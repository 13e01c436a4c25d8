package dev.weir.store.cluster;

import dev.weir.Store;
import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreOnFakeClock;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;

/** The book alone, without a network: every answer as the model has it, also from snapshots and to repeated batches. */
class BookContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.RUNNING_CLOCK, Ability.EXACT_MOMENTS);
    }

    private static final class SoloUnderTest extends StoreOnFakeClock {
        private static final Duration LONG = Duration.ofSeconds(90);
        private final ClusterStore store = new ClusterStore(new SoloLog(clock), Duration.ofSeconds(1), null);

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
            store.close();
        }
    }
}
