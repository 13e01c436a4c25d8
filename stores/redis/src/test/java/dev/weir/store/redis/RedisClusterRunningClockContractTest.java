package dev.weir.store.redis;

import dev.weir.testkit.Ability;
import dev.weir.testkit.RunningClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The contract on three masters as in production: requests whose keys lie in several slots take several steps. */
@Tag("io")
class RedisClusterRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningRedisUnderTest(SharedRedisCluster.options(), SharedRedisCluster.link());
    }

    @Override
    protected Set<Ability> missing() {
        // Charges in several slots are decided at several moments.
        return Set.of(Ability.EXACT_MOMENTS);
    }

    @Override
    protected int thinning() {
        return 10;
    }
}
