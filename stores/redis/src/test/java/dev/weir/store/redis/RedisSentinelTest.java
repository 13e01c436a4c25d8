package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.fixture.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sentinel: a failover, and counts that a replica has before they are acknowledged. */
@Tag("io")
class RedisSentinelTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final Policy POLICY = TokenBucket.of(100, 1, Duration.ofDays(365));
    private static final Key KEY = Key.of("k");

    @Test
    void consume_afterAFailover_goesOnWithTheCounts() {
        try (RedisTopologies.Watched watched = RedisTopologies.watched();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(watched.uri() + "?wait=1&timeout=10s"))) {
            for (int i = 1; i <= 40; i++) {
                assertThat(consume(store)).isEqualTo(100 - i);
            }
            watched.master().kill();
            await().until(() -> {
                try {
                    // Nobody can have a copy any more, so that every answer is a failure and every call is made.
                    return store.peek(List.of(Charge.of(KEY, POLICY)))
                                    .await(TIMEOUT)
                                    .reading(0)
                                    .remaining()
                            >= 0;
                } catch (StoreException e) {
                    return false;
                }
            });
            assertThat(store.peek(List.of(Charge.of(KEY, POLICY)))
                            .await(TIMEOUT)
                            .reading(0)
                            .remaining())
                    .isEqualTo(60);
        }
    }

    @Test
    void consume_withoutEnoughReplicas_failsSecure() {
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?wait=1&timeout=2s"))) {
            assertThatThrownBy(() -> consume(store)).isInstanceOf(StoreException.class);
        }
    }

    /** Looking writes nothing, and needs nobody's copy. */
    @Test
    void peek_withoutEnoughReplicas_isAnswered() {
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?wait=1&timeout=60s"))) {
            assertThat(store.peek(List.of(Charge.of(KEY, POLICY)))
                            .await(TIMEOUT)
                            .admitted())
                    .isTrue();
        }
    }

    private static long consume(RedisStore store) {
        return store.consume(List.of(Charge.of(KEY, POLICY)))
                .await(TIMEOUT)
                .reading(0)
                .remaining();
    }
}
