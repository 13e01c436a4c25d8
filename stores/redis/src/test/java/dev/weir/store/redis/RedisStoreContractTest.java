package dev.weir.store.redis;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** The contract, the golden vectors and random histories, with the clock given. */
class RedisStoreContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RedisUnderTest(SharedRedis.options());
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.RUNNING_CLOCK, Ability.EXACT_MOMENTS, Ability.LARGE_BUCKETS);
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.redis.histories", 100);
    }
}
