package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.remote.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RateLimiterTest {
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void tryConsume_untilEmpty_admitsTheCapacity() {
        try (RateLimiter limiter = RateLimiter.of(TokenBucket.perHour(3))) {
            assertThat(limiter.tryConsume("alice")).isTrue();
            assertThat(limiter.tryConsume("alice", 2)).isTrue();
            assertThat(limiter.tryConsume("alice")).isFalse();
            assertThat(limiter.tryConsume("bob")).isTrue();
        }
    }

    @Test
    void handle_andKey_shareOneBudget() {
        RateLimiter limiter = RateLimiter.of(TokenBucket.perHour(4));
        KeyLimiter alice = limiter.forKey("alice");
        assertThat(alice.tryConsume()).isTrue();
        assertThat(limiter.tryConsume("alice")).isTrue();
        assertThat(alice.tryConsume(2)).isTrue();
        assertThat(alice.tryConsume()).isFalse();
        assertThat(alice.peek()).isInstanceOf(Reading.Refused.class);
    }

    @Test
    void charge_tellsWhatIsLeftAndHowLongToWait() {
        RateLimiter limiter = RateLimiter.of(FixedWindow.of(2, Duration.ofHours(1)));
        assertThat(limiter.charge("a", 2).remaining()).isZero();
        assertThat(limiter.charge("a", 1))
                .isInstanceOfSatisfying(
                        Reading.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .isBetween(Duration.ofMinutes(59), Duration.ofHours(1)));
        assertThat(limiter.charge("a", 3)).isInstanceOf(Reading.Impossible.class);
        assertThat(limiter.peek("b").remaining()).isEqualTo(2);
    }

    @Test
    void reset_makesTheBudgetWhole() {
        for (Policy policy : List.of(TokenBucket.perHour(1), SlidingWindow.of(1, Duration.ofHours(1)))) {
            RateLimiter limiter = RateLimiter.of(policy);
            KeyLimiter handle = limiter.forKey("a");
            assertThat(handle.tryConsume()).isTrue();
            assertThat(handle.tryConsume()).isFalse();
            limiter.reset("a");
            assertThat(handle.tryConsume()).isTrue();
        }
    }

    @Test
    void limiters_withDifferentNames_shareAStoreButNoBudget() {
        try (MemoryStore store = MemoryStore.create()) {
            RateLimiter one = RateLimiter.on(store, "one", TokenBucket.perHour(1));
            RateLimiter two = RateLimiter.on(store, "two", TokenBucket.perHour(1));
            assertThat(one.tryConsume("a")).isTrue();
            assertThat(two.tryConsume("a")).isTrue();
            assertThat(one.tryConsume("a")).isFalse();
        }
    }

    @Test
    void cost_belowOne_isAnErrorThatSpendsNothing() {
        RateLimiter limiter = RateLimiter.of(TokenBucket.perHour(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.tryConsume("a", 0))
                .withMessage("cost is 0; it must be a positive whole number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.forKey("a").tryConsume(-1));
        assertThat(limiter.tryConsume("a")).isTrue();
    }

    @Test
    void consume_ofAClosedLimiter_isFalse() throws InterruptedException {
        assertThat(RateLimiter.of(Policy.closed()).consume("a", 1, FOREVER)).isFalse();
    }

    @Test
    void key_thatIsNull_isAnErrorThatSaysSo() {
        RateLimiter limiter = RateLimiter.of(TokenBucket.perHour(4));
        RateLimiter locked = RateLimiter.on(MemoryStore.create(), "locked", SlidingWindow.of(4, Duration.ofHours(1)));
        List<ThrowingCallable> calls = List.of(
                () -> limiter.tryConsume(null),
                () -> limiter.tryConsume(null, 2),
                () -> limiter.charge(null, 1),
                () -> limiter.peek(null),
                () -> limiter.consume(null, 1, Duration.ZERO),
                () -> limiter.forKey(null),
                () -> limiter.reset(null),
                () -> locked.tryConsume(null));
        for (ThrowingCallable call : calls) {
            assertThatNullPointerException()
                    .isThrownBy(call)
                    .withMessage("key is null; it must name the subject of the budget");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> limiter.consume("a", 1, null))
                .withMessageStartingWith("timeout is null");
        assertThatNullPointerException().isThrownBy(() -> RateLimiter.of(null)).withMessage("policy is null");
    }

    @Test
    void limiter_forSlots_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiter.of(Concurrency.of(3)))
                .withMessageContaining("use Store.acquire");
    }

    @Test
    void charge_onAStoreThatDoesNotAnswer_failsAfterTheGivenTime() {
        Store silent = (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> new Promise<>());
        RateLimiter limiter = RateLimiter.on(silent, "l", TokenBucket.perMinute(1), Duration.ofMillis(3));
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> limiter.tryConsume("a"))
                .withMessageContaining("within 3ms");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> limiter.forKey("a").peek())
                .withMessageContaining("within 3ms");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> limiter.reset("a"))
                .withMessageContaining("within 3ms");
    }

    @Test
    void consume_thatMustWait_wakesWhenItsTokenIsThere() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(TokenBucket.of(1, 1, Duration.ofMillis(200)));
        long start = System.nanoTime();
        assertThat(limiter.tryConsume("a")).isTrue();
        assertThat(limiter.consume("a", 1, FOREVER)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }

    @Test
    void consume_thatCannotMakeItsDeadline_saysSoAtOnce() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(TokenBucket.perHour(1));
        assertThat(limiter.consume("a", 1, Duration.ZERO)).isTrue();
        assertThat(limiter.consume("a", 1, Duration.ofMinutes(5))).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.consume("b", 2, FOREVER))
                .withMessage("cost is 2, above the capacity of 1, so that waiting does not help; it must be at most 1");
        assertThat(limiter.tryConsume("b")).isTrue();
    }

    @Test
    void consume_byMany_servesThemInTheOrderOfTheirArrivalAndIsNotOvertaken() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(TokenBucket.of(1, 1, Duration.ofMillis(100)));
        assertThat(limiter.tryConsume("a")).isTrue();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            Thread waiter = new Thread(() -> {
                try {
                    if (limiter.consume("a", 1, FOREVER)) {
                        served.add(number);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            waiters.add(waiter);
            waiter.start();
            // The next thread starts only when this one waits, or has been served already on a machine that stalls.
            while (waiter.getState() != Thread.State.TIMED_WAITING && waiter.isAlive()) {
                Thread.onSpinWait();
            }
        }
        while (served.size() < 5) {
            boolean overtook = limiter.tryConsume("a");
            assertThat(overtook && served.size() < 4).isFalse();
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void consume_interruptedWhileWaiting_spendsNothing() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(TokenBucket.of(1, 1, Duration.ofSeconds(30)));
        assertThat(limiter.tryConsume("a")).isTrue();
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            try {
                limiter.consume("a", 1, FOREVER);
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        waiter.interrupt();
        assertThat(interrupted.await(90, TimeUnit.SECONDS)).isTrue();
        assertThat(limiter.peek("a").resetAfter()).isLessThanOrEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void tickingClock_onlyRefusesByThePreciseTime() {
        MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().tickingClock());
        RateLimiter limiter = RateLimiter.on(store, "l", TokenBucket.of(1, 1, Duration.ofMillis(1)));
        KeyLimiter handle = limiter.forKey("a");
        long admitted = 0;
        long start = System.nanoTime();
        while (System.nanoTime() - start < Duration.ofMillis(300).toNanos()) {
            admitted += handle.tryConsume() ? 1 : 0;
        }
        long elapsedMillis = Duration.ofNanos(System.nanoTime() - start).toMillis();
        // One for the full bucket, one for the last interval, one for rate × tick.
        assertThat(admitted).isLessThanOrEqualTo(elapsedMillis + 3);
        assertThat(admitted).isGreaterThan(1);
        store.close();
    }
}
