package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real threads and the real clock: never one admission over the bound. */
@Timeout(300)
class MemoryStoreParallelTest {
    private static final int THREADS = 64;

    @Test
    void oneKey_byManyThreadsForTenMillionChecks_admitsWhatTheBucketHoldsAndRegains() throws Exception {
        long refillPerSecond = 100_000;
        RateLimiter limiter = RateLimiter.of(TokenBucket.of(1_000, refillPerSecond, Duration.ofSeconds(1)));
        KeyLimiter handle = limiter.forKey("hot");
        long start = System.nanoTime();
        long admitted = inParallel(THREADS, thread -> {
            int mine = 0;
            for (int i = 0; i < 10_000_000 / THREADS; i++) {
                boolean took = (i & 1) == 0 ? handle.tryConsume() : limiter.tryConsume("hot");
                mine += took ? 1 : 0;
            }
            return mine;
        });
        long elapsed = System.nanoTime() - start;
        assertThat(admitted)
                .isGreaterThanOrEqualTo(1_000)
                .isLessThanOrEqualTo(1_000 + elapsed * refillPerSecond / 1_000_000_000L);
    }

    @Test
    void oneKey_thatDoesNotRefillMeanwhile_admitsExactlyTheLimit() throws Exception {
        for (Policy policy : List.of(
                TokenBucket.of(50_000, 1, Duration.ofDays(1)),
                FixedWindow.of(50_000, Duration.ofDays(1)),
                FixedWindow.of(2_000_000_000L, Duration.ofDays(1)),
                SlidingWindow.of(500, Duration.ofDays(1)),
                SlidingWindow.of(50_000, Duration.ofDays(1)))) {
            RateLimiter limiter = RateLimiter.of(policy);
            long cost = Math.max(1, policy.capacity() / 10_000);
            long admitted = inParallel(THREADS, thread -> {
                int mine = 0;
                for (int i = 0; i < 1_000; i++) {
                    mine += limiter.tryConsume("hot", cost) ? 1 : 0;
                }
                return mine;
            });
            assertThat(admitted * cost).as(policy.toString()).isEqualTo(policy.capacity());
        }
    }

    @Test
    void manyKeys_whileTheTableGrowsAndIsSwept_admitEachItsLimit() throws Exception {
        int keys = 20_000;
        MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().maxEntries(100_000));
        Policy[] policies = {TokenBucket.of(3, 1, Duration.ofDays(1)), TokenBucket.of(3, 1, Duration.ofDays(2))};
        AtomicIntegerArray admitted = new AtomicIntegerArray(keys);
        AtomicBoolean done = new AtomicBoolean();
        Thread sweeper = new Thread(() -> {
            while (!done.get()) {
                store.sweep();
            }
        });
        sweeper.start();
        inParallel(8, thread -> {
            for (int i = 0; i < 4 * keys; i++) {
                int key = (i * 7919 + thread * 104_729) % keys;
                // Now and then the policy changes; spent units stay spent.
                Charge charge = Charge.of(Key.of("k", Integer.toString(key)), policies[i / keys % 2]);
                if (store.consume(List.of(charge)).now().admitted()) {
                    admitted.incrementAndGet(key);
                }
            }
            return 0;
        });
        done.set(true);
        sweeper.join();
        for (int key = 0; key < keys; key++) {
            assertThat(admitted.get(key)).as("key " + key).isEqualTo(3);
        }
    }

    @Test
    void moreKeysThanFit_boundMemoryAndForgetNobody() throws Exception {
        int maxEntries = 10_000;
        MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().maxEntries(maxEntries));
        RateLimiter limiter = RateLimiter.on(store, "l", TokenBucket.of(2, 1, Duration.ofDays(1)));
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.tryConsume("early" + i, 2)).isTrue();
        }
        AtomicIntegerArray admitted = new AtomicIntegerArray(200_000);
        inParallel(8, thread -> {
            for (int i = 0; i < 200_000; i++) {
                if (limiter.tryConsume("attacker" + i)) {
                    admitted.incrementAndGet(i);
                }
            }
            return 0;
        });
        assertThat(store.entries()).isLessThanOrEqualTo(maxEntries);
        for (int i = 0; i < 200_000; i++) {
            assertThat(admitted.get(i)).isLessThanOrEqualTo(2);
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(limiter.tryConsume("early" + i)).isFalse();
        }
    }

    @Test
    void severalLimits_thatCross_areNeverOverAndGiveBackExactly() throws Exception {
        MemoryStore store = MemoryStore.create();
        Policy wide = TokenBucket.of(10_000, 1, Duration.ofDays(1));
        Policy narrow = FixedWindow.of(700, Duration.ofDays(1));
        Policy sliding = SlidingWindow.of(400, Duration.ofDays(1));
        AtomicLong[] admitted = {new AtomicLong(), new AtomicLong(), new AtomicLong(), new AtomicLong()};
        inParallel(THREADS, thread -> {
            int user = thread % 4;
            Charge shared = Charge.of(Key.of("all"), wide);
            Charge own = Charge.of(Key.of("user", Integer.toString(user)), user < 2 ? narrow : sliding);
            List<Charge> charges = thread % 8 < 4 ? List.of(shared, own) : List.of(own, shared);
            for (int i = 0; i < 500; i++) {
                Decision decision = store.consume(charges).now();
                if (decision.admitted()) {
                    admitted[user].incrementAndGet();
                }
            }
            return 0;
        });
        assertThat(admitted[0].get()).isEqualTo(700);
        assertThat(admitted[1].get()).isEqualTo(700);
        assertThat(admitted[2].get()).isEqualTo(400);
        assertThat(admitted[3].get()).isEqualTo(400);
        assertThat(store.peek(List.of(Charge.of(Key.of("all"), wide)))
                        .now()
                        .reading(0)
                        .remaining())
                .isEqualTo(10_000 - 2_200);
    }

    /** Runs the work in so many threads at once and returns the sum of the results. */
    private static long inParallel(int threads, IntUnaryOperator work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch ready = new CountDownLatch(threads);
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                Callable<Integer> task = () -> {
                    ready.countDown();
                    ready.await();
                    return work.applyAsInt(thread);
                };
                answers.add(pool.submit(task));
            }
            long sum = 0;
            for (Future<Integer> answer : answers) {
                sum += answer.get();
            }
            return sum;
        } finally {
            pool.shutdownNow();
        }
    }
}
