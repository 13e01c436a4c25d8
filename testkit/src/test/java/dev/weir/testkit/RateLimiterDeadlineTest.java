package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.RateLimiter;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A limiter waits for its store's timeout, unless it was given another one. */
class RateLimiterDeadlineTest {
    private final FailureInjectingStore store = new FailureInjectingStore();

    @Test
    void tryConsume_storeThatDoesNotAnswer_failsAfterItsDeadline() {
        store.need(Duration.ofMillis(7));
        store.be(FailureInjectingStore.Behavior.HELD);
        RateLimiter limiter = RateLimiter.on(store, "limit", TokenBucket.perMinute(60));

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> limiter.tryConsume("key"))
                .withMessageContaining("within 7ms");
    }

    @Test
    void tryConsume_givenAnotherTime_waitsThatLong() {
        store.need(Duration.ofMinutes(1));
        store.be(FailureInjectingStore.Behavior.HELD);
        RateLimiter limiter = RateLimiter.on(store, "limit", TokenBucket.perMinute(60), Duration.ofMillis(9));

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> limiter.tryConsume("key"))
                .withMessageContaining("within 9ms");
    }

    @Test
    void tryConsume_storeThatNeedsLong_isAwaited() {
        store.need(Duration.ofMinutes(1));
        store.be(FailureInjectingStore.Behavior.LATER);
        RateLimiter limiter = RateLimiter.on(store, "limit", TokenBucket.perMinute(1));

        assertThat(limiter.tryConsume("key")).isTrue();
        assertThat(limiter.tryConsume("key")).isFalse();
    }
}
