package dev.weir.store.redis;

import dev.weir.fixture.RedisProcess;
import java.util.concurrent.atomic.AtomicInteger;

/** One Redis for all tests that need no Redis of their own; each test has its own prefix. */
final class SharedRedis {
    private static final RedisProcess REDIS = RedisProcess.start();
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private static final RedisLink LINK = RedisLink.open(options());

    private SharedRedis() {}

    /** Ways to the shared Redis, apart from all others. */
    static RedisStoreOptions options() {
        // Tests stop for longer than production would wait, when the machine is busy.
        return RedisStoreOptions.parse(REDIS.uri())
                .withPrefix("t" + PREFIXES.incrementAndGet())
                .withTimeout(java.time.Duration.ofMinutes(1));
    }

    /** One connection for those who only need a new, empty store: opening thousands would take a while. */
    static RedisLink link() {
        return LINK.sharedView();
    }

    static RedisProcess process() {
        return REDIS;
    }
}
