package dev.weir.store.redis;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Moment;
import dev.weir.testkit.model.Timing;
import java.time.Instant;
import java.util.Set;

/** The contract as in production: the script asks Redis for the time. */
class RedisStoreRunningClockContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        RedisStoreOptions options = SharedRedis.options();
        RedisStore store = new RedisStore(SharedRedis.link(), options, ScriptClock.running());
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
            public Moment momentOf(Decision decision) {
                return new Moment(decision.time() * 1_000, decision.time() * 1_000);
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.GIVEN_CLOCK, Ability.CLOCK_STEPS_BACK, Ability.STEADY_CLOCK, Ability.SWEEP);
    }
}
