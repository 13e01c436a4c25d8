package dev.weir.store.redis;

import dev.weir.testkit.Ability;
import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The contract, the golden vectors and random histories, on a clock that the test sets. */
@Tag("io")
class RedisStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RedisUnderTest(SharedRedis.options());
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.LARGE_BUCKETS);
    }

    @Override
    protected int thinning() {
        return 10;
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.redis.histories", 100);
    }
}
