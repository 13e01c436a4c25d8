package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that is delayed between reading the clock and changing the state, while other threads spend at later times. */
class DelayedThreadTest {
    private static final Policy POLICY = TokenBucket.of(2, 2, Duration.ofHours(1));
    private static final String NAME = "limit";
    private static final String KEY = "key";
    private static final Key STORE_KEY = Key.of(NAME, KEY);

    private final DelayingClock clock = new DelayingClock();
    private final MemoryStore store = new MemoryStore(MemoryStoreOptions.defaults(), clock);
    private final RateLimiter limiter = RateLimiter.on(store, NAME, POLICY);

    /** A way to spend {@code cost} from the key. */
    private interface Spend {
        boolean spend(DelayedThreadTest test, long cost);
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                way("handle", (test, cost) -> {
                    var handle = test.limiter.forKey(KEY);
                    return cost == 1 ? handle.tryConsume() : handle.tryConsume(cost);
                }),
                way("handle that knows the entry", (test, cost) -> {
                    var handle = test.limiter.forKey(KEY);
                    Runnable others = test.clock.whileDelayed;
                    test.clock.whileDelayed = null;
                    handle.tryConsume(2);
                    test.clock.millis += Duration.ofHours(1).toMillis();
                    test.clock.whileDelayed = others;
                    return cost == 1 ? handle.tryConsume() : handle.tryConsume(cost);
                }),
                way("limiter", (test, cost) -> test.limiter.tryConsume(KEY, cost)),
                way(
                        "store",
                        (test, cost) -> test.store
                                .consume(List.of(new Charge(STORE_KEY, POLICY, cost)))
                                .now()
                                .admitted()),
                way(
                        "store, two charges",
                        (test, cost) -> test.store
                                .consume(List.of(
                                        new Charge(STORE_KEY, POLICY, cost),
                                        new Charge(Key.of("other", "key"), POLICY, cost)))
                                .now()
                                .admitted()));
    }

    private static Arguments way(String name, Spend spend) {
        return Arguments.of(name, spend);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void tokenThatOthersLeft_isGranted(String name, Spend way) {
        clock.whileDelayed = () -> spendElsewhere(1);
        assertThat(way.spend(this, 1)).isTrue();
        assertThat(remaining()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void tokenThatOthersLeft_afterSeveralDelays_isGranted(String name, Spend way) {
        clock.whileDelayed = () -> {
            spendElsewhere(1);
            clock.whileDelayed = () -> {
                store.reset(List.of(STORE_KEY)).now();
                spendElsewhere(1);
            };
        };
        assertThat(way.spend(this, 1)).isTrue();
        assertThat(remaining()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void tokensThatOthersSpent_areNotGranted(String name, Spend way) {
        clock.whileDelayed = () -> spendElsewhere(2);
        assertThat(way.spend(this, 1)).isFalse();
        assertThat(remaining()).isZero();
    }

    private void spendElsewhere(long cost) {
        clock.millis += 5;
        assertThat(limiter.tryConsume(KEY, cost)).isTrue();
    }

    private long remaining() {
        return limiter.peek(KEY).remaining();
    }

    /** Runs other work once, after the time was read and before the reader gets it. */
    private static final class DelayingClock extends StoreClock {
        private long millis = 10_000;
        private Runnable whileDelayed;

        @Override
        long now() {
            return precise();
        }

        @Override
        long precise() {
            long time = millis * 1_000_000;
            Runnable others = whileDelayed;
            whileDelayed = null;
            if (others != null) {
                others.run();
            }
            return time;
        }

        @Override
        boolean lags() {
            return false;
        }

        @Override
        long epochMillis(long now) {
            return now / 1_000_000;
        }
    }
}
