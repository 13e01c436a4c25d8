package dev.weir.store.redis;

import dev.weir.testkit.Ability;
import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/**
 * The contract on three masters, on a clock that the test sets: requests whose keys lie in several slots take several
 * steps.
 */
@Tag("io")
class RedisClusterContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RedisUnderTest(SharedRedisCluster.options(), SharedRedisCluster.link());
    }

    @Override
    protected Set<Ability> missing() {
        // Every slot has a clock of its own, which sees a step when it is next asked; docs/redis.md says so.
        return Set.of(Ability.STEADY_CLOCK, Ability.CLOCK_STEPS_BACK, Ability.LARGE_BUCKETS);
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.redis.histories", 10);
    }

    @Override
    protected int thinning() {
        return 10;
    }
}
