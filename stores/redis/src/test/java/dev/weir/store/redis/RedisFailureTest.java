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
import dev.weir.fixture.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Redis stops, hangs and recovers: the limit is never exceeded, no caller waits too long, and the store recovers by
 * itself.
 */
@Tag("io")
class RedisFailureTest {
    private static final Duration HANG = Duration.ofSeconds(10);
    /** Long enough for a busy machine to answer in time, and much shorter than Redis hangs. */
    private static final Duration DEADLINE = Duration.ofMillis(500);

    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final int THREADS = 64;

    private final RedisProcess redis = RedisProcess.start();
    private final RedisStore store = RedisStore.open(options().withTimeout(DEADLINE));
    private final AtomicLong opened = new AtomicLong();
    private final Hiccups hiccups = new Hiccups();
    private final GuardedStore guarded =
            new GuardedStore(store, GuardOptions.defaults().withDeadline(DEADLINE), new CircuitBreaker.Listener() {
                @Override
                public void opened(String cause) {
                    opened.incrementAndGet();
                }

                @Override
                public void closed(Duration open) {}
            });

    private RedisStoreOptions options() {
        return RedisStoreOptions.parse(redis.uri());
    }

    /** How long something may take that takes so long where nothing else runs: it is done by several threads in turn. */
    private Duration allowing(Duration time) {
        return time.plusMillis(50).plus(hiccups.worst().multipliedBy(10));
    }

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
        await().atMost(TIMEOUT).until(guarded::isCircuitOpen);
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
        await().atMost(TIMEOUT).until(guarded::isCircuitOpen);
        redis.restart();
        assertThat(recovery(load)).isLessThan(allowing(LONGEST_RECOVERY));
        load.end();
    }

    @Test
    void consume_whileRedisHangs_failsInTimeAndSpendsNothingTwice() {
        Policy policy = TokenBucket.of(1_000_000, 1, Duration.ofDays(10));
        Load load = new Load(policy);
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > 1_000);
        redis.suspend();
        long until = System.nanoTime() + HANG.toNanos();
        await().atMost(HANG.plus(TIMEOUT)).until(() -> System.nanoTime() > until);
        assertThat(guarded.isCircuitOpen()).isTrue();
        Duration slowest = Duration.ofNanos(load.slowest.get());
        redis.resume();
        Duration recovery = recovery(load);
        load.end();
        assertThat(slowest).isPositive().isLessThan(allowing(DEADLINE));
        assertThat(recovery).isLessThan(allowing(LONGEST_RECOVERY));
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
        // A single call that waited would take this long.
        Duration timeout = Duration.ofMinutes(1);
        try (RedisStore patient = RedisStore.open(options().withTimeout(timeout))) {
            redis.kill();
            await().until(() -> !answers(patient));
            long begun = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                assertThat(answers(patient)).isFalse();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(timeout);
            redis.restart();
            await().until(() -> answers(patient));
            Policy policy = TokenBucket.of(10, 1, Duration.ofDays(365));
            // What was asked while there was no connection is not done afterwards.
            assertThat(patient.consume(List.of(Charge.of(Key.of("probe"), policy)))
                            .await(TIMEOUT)
                            .reading(0)
                            .remaining())
                    .isGreaterThanOrEqualTo(7);
        }
    }

    private static boolean answers(RedisStore asked) {
        try {
            return asked.consume(List.of(Charge.of(Key.of("probe"), TokenBucket.of(10, 1, Duration.ofDays(365)))))
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
