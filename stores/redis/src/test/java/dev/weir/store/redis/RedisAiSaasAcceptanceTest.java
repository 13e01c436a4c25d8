package dev.weir.store.redis;

import dev.weir.fixture.RedisProcess;
import dev.weir.testkit.engine.AiSaasAcceptance;
import dev.weir.testkit.history.StoreOnFakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** Reference system B on one Redis, on a clock that the test sets. */
@Tag("io")
class RedisAiSaasAcceptanceTest extends AiSaasAcceptance {
    @Override
    protected StoreOnFakeClock newStore() {
        return new RedisUnderTest(SharedRedis.options());
    }

    @Override
    protected StoppableStore newMortal() {
        RedisProcess redis = RedisProcess.start();
        return new StoppableStore(
                RedisStore.open(RedisStoreOptions.parse(redis.uri()).withTimeout(Duration.ofSeconds(20))),
                redis::close);
    }
}
