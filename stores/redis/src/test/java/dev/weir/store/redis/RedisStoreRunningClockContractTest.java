package dev.weir.store.redis;

import dev.weir.testkit.RunningClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The contract as in production: the script reads the time from Redis. */
@Tag("io")
class RedisStoreRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningRedisUnderTest(SharedRedis.options(), SharedRedis.link());
    }

    @Override
    protected int thinning() {
        return 10;
    }
}
