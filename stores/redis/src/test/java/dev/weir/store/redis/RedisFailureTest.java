package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.engine.guard.CircuitBreaker;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.guard.GuardedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Redis dies, hangs and comes back: nothing is admitted over the limit, nobody waits, and it recovers by itself. */
class RedisFailureTest {
    private static final Duration HANG = Duration.ofSeconds(10);
    /** No refusal takes longer, whatever Redis does: its deadline is 50 ms. */
    private static final Duration LONGEST_REFUSAL = Duration.ofMillis(100);

    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int THREADS = 64;

    private final RedisProcess redis = RedisProcess.start();
    private final RedisStore store = RedisStore.open(redis.options());
    private final AtomicLong opened = new AtomicLong();
    private final Hiccups hiccups = new Hiccups();
    private final GuardedStore guarded =
            new GuardedStore(store, GuardOptions.defaults(), new CircuitBreaker.Listener() {
                @Override
                public void opened(String cause) {
                    opened.incrementAndGet();
                }

                @Override
                public void closed(Duration open) {}
            });

    @AfterEach
    void close() {
        hiccups.close();
        guarded.close();
        redis.close();
    }

    @Test
    void consume_whileRedisIsKilledAndRestarted_neverAdmitsMoreThanEachLifeAllows() {
        Policy policy = TokenBucket.of(500, 1, Duration.ofDays(365));
        Load load = new Load(policy);
        awaitSpent(policy);
        long first = load.admitted.get();
        redis.kill();
        await().atMost(TIMEOUT).until(guarded::isGivenUp);
        long failedFast = load.failed.get();
        redis.restart();
        // All that Redis knew is gone with it: another life, another 500.
        awaitSpent(policy);
        load.end();
        assertThat(first).isBetween(1L, 500L);
        assertThat(load.admitted.get()).isBetween(first + 1, 1_000L);
        assertThat(failedFast).isPositive();
        assertThat(opened.get()).isPositive();
    }

    /** Fewer may be admitted than were spent: a call that was too late for its caller was admitted to nobody. */
    private void awaitSpent(Policy policy) {
        await().atMost(TIMEOUT)
                .ignoreExceptions()
                .until(() -> store.peek(List.of(Charge.of(Load.KEY, policy)))
                                .await(TIMEOUT)
                                .reading(0)
                                .remaining()
                        == 0);
    }

    @Test
    void consume_afterRedisCameBack_recoversWithinASecond() {
        Load load = new Load(TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1)));
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > 1_000);
        redis.kill();
        await().atMost(TIMEOUT).until(guarded::isGivenUp);
        redis.restart();
        assertThat(recovery(load)).isLessThan(LONGEST_RECOVERY.plus(hiccups.worst()));
        load.end();
    }

    @Test
    void consume_whileRedisHangs_failsInTimeAndSpendsNothingTwice() {
        Policy policy = TokenBucket.of(1_000_000, 1, Duration.ofDays(10));
        Load load = new Load(policy);
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > 1_000);
        redis.stop();
        long until = System.nanoTime() + HANG.toNanos();
        await().atMost(HANG.plus(TIMEOUT)).until(() -> System.nanoTime() > until);
        assertThat(guarded.isGivenUp()).isTrue();
        Duration slowest = Duration.ofNanos(load.slowest.get());
        redis.goOn();
        Duration recovery = recovery(load);
        load.end();
        assertThat(slowest).isPositive().isLessThan(LONGEST_REFUSAL.plus(hiccups.worst()));
        assertThat(recovery).isLessThan(LONGEST_RECOVERY.plus(hiccups.worst()));
        long left = store.peek(List.of(Charge.of(Load.KEY, policy)))
                .await(TIMEOUT)
                .reading(0)
                .remaining();
        assertThat(load.admitted.get()).isLessThanOrEqualTo(1_000_000 - left);
    }

    /** How long it takes from now on until the first is admitted. */
    private static Duration recovery(Load load) {
        long back = System.nanoTime();
        long before = load.admitted.get();
        await().pollInterval(Duration.ofMillis(2)).atMost(TIMEOUT).until(() -> load.admitted.get() > before);
        return Duration.ofNanos(System.nanoTime() - back);
    }

    @Test
    void consume_withoutAConnection_failsAtOnceAndQueuesNothing() {
        redis.kill();
        await().atMost(TIMEOUT).until(() -> !answers());
        long begun = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(answers()).isFalse();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
        redis.restart();
        await().atMost(TIMEOUT).until(this::answers);
        Policy policy = TokenBucket.of(10, 1, Duration.ofDays(365));
        // What was asked while there was no connection is not done afterwards.
        assertThat(store.consume(List.of(Charge.of(Key.of("probe"), policy)))
                        .await(TIMEOUT)
                        .reading(0)
                        .remaining())
                .isGreaterThanOrEqualTo(7);
    }

    private boolean answers() {
        try {
            return store.consume(List.of(Charge.of(Key.of("probe"), TokenBucket.of(10, 1, Duration.ofDays(365)))))
                            .await(TIMEOUT)
                    != null;
        } catch (StoreException e) {
            return false;
        }
    }

    /** Callers that ask again and again through the guard, as the engine does. */
    private final class Load {
        static final Key KEY = Key.of("load");

        private final AtomicLong admitted = new AtomicLong();
        private final AtomicLong failed = new AtomicLong();
        private final AtomicLong slowest = new AtomicLong();
        private final AtomicBoolean over = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Load(Policy policy) {
            List<Charge> charges = List.of(Charge.of(KEY, policy));
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(() -> run(charges));
                threads.add(thread);
                thread.start();
            }
        }

        private void run(List<Charge> charges) {
            while (!over.get()) {
                long begun = System.nanoTime();
                try {
                    admitted.addAndGet(
                            guarded.consume(charges, false).await(TIMEOUT).admitted() ? 1 : 0);
                } catch (StoreException e) {
                    failed.incrementAndGet();
                    slowest.accumulateAndGet(System.nanoTime() - begun, Math::max);
                    // As a client would that was told to come back later.
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
            }
        }

        void end() {
            over.set(true);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
