package dev.weir.store.durableobjects;

import dev.weir.Store;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.Ability;
import dev.weir.testkit.RunningClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The contract as in production: every shard has its own clock. */
@Tag("io")
class DurableObjectsRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        DurableObjectsStore store = new DurableObjectsStore(
                new WorkerLink(SharedWorker.worker()), SharedWorker.options(), ScriptClock.running());
        return new StoreUnderTest() {
            @Override
            public Store store() {
                return store;
            }

            @Override
            public Timing timing() {
                return Timing.inDoubles(Instant.EPOCH);
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    @Override
    protected Set<Ability> missing() {
        // Charges in several shards are decided at several moments; of those in one, DurableObjectsStoreTest tells.
        return Set.of(Ability.EXACT_MOMENTS);
    }

    @Override
    protected int thinning() {
        return 10;
    }
}
