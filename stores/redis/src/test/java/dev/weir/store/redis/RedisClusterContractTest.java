package dev.weir.store.redis;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract on three masters: requests whose keys lie in several slots take several steps. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisClusterContractTest extends StoreContract {
    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static RedisTopologies.Cluster cluster;
    private static RedisLink link;

    @BeforeAll
    static void start() {
        cluster = RedisTopologies.cluster(0);
        link = RedisLink.open(options());
    }

    @AfterAll
    static void stop() {
        if (link != null) {
            link.close();
        }
        cluster.close();
    }

    private static RedisStoreOptions options() {
        return cluster.options().withPrefix("c" + PREFIXES.incrementAndGet()).withTimeout(Duration.ofSeconds(20));
    }

    @Override
    protected StoreUnderTest newStore() {
        return new RedisUnderTest(options(), link.lend());
    }

    @Override
    protected Set<Ability> missing() {
        // Every slot has a clock of its own, which sees a step when it is next asked; docs/redis.md says so.
        return Set.of(
                Ability.RUNNING_CLOCK,
                Ability.EXACT_MOMENTS,
                Ability.STEADY_CLOCK,
                Ability.CLOCK_STEPS_BACK,
                Ability.LARGE_BUCKETS);
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.redis.histories", 10);
    }
}
