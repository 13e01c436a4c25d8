package dev.weir.store.redis;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.Timing;
import java.time.Instant;

/** The store as in production: the script reads the time from Redis. */
final class RunningRedisUnderTest implements StoreUnderTest {
    private final RedisStoreOptions options;
    private final RedisStore store;

    RunningRedisUnderTest(RedisStoreOptions options, RedisLink link) {
        this.options = options;
        this.store = new RedisStore(link, options, ScriptClock.running());
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.inDoubles(Instant.EPOCH);
    }

    @Override
    public ModelTime momentOf(Decision decision) {
        return new ModelTime(decision.time() * 1_000, decision.time() * 1_000);
    }

    @Override
    public void close() {
        RedisUnderTest.deleteKeys(store, options);
        store.close();
    }
}
