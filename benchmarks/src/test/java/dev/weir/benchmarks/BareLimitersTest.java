package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The physical limits must be correct limiters, or a comparison with them would mean nothing. */
final class BareLimitersTest {
    private static final int CAPACITY = 1_000_000;
    /** A budget that does not refill while a test runs. */
    private static final BudgetSize SLOW = new BudgetSize(CAPACITY, 1, Duration.ofHours(1));

    @Test
    void gcra_fullBucket_admitsItsCapacityAndNotOneMore() {
        long state = 0;
        for (int i = 0; i < 5; i++) {
            state = Gcra.next(state, 1_000, 10, 50);
            assertThat(state).isEqualTo(1_000 + 10 * (i + 1));
        }
        assertThat(Gcra.next(state, 1_000, 10, 50)).isEqualTo(Gcra.REFUSED);
    }

    @Test
    void gcra_emptyBucket_admitsAgainExactlyWhenATokenIsBack() {
        long empty = 1_050;
        assertThat(Gcra.next(empty, 1_009, 10, 50)).isEqualTo(Gcra.REFUSED);
        assertThat(Gcra.next(empty, 1_010, 10, 50)).isEqualTo(1_060);
    }

    @Test
    void gcra_idleForLong_savesUpNoMoreThanTheCapacity() {
        long state = 0;
        int admitted = 0;
        while ((state = Gcra.next(state, 1_000_000, 10, 50)) != Gcra.REFUSED) {
            admitted++;
        }
        assertThat(admitted).isEqualTo(5);
    }

    @Test
    void bareLimiter_askedByManyThreads_admitsExactlyItsCapacity() throws Exception {
        assertThat(admitted(new BareLimiter(SLOW)::tryConsume)).isEqualTo(CAPACITY);
    }

    @Test
    void bareTickingLimiter_askedByManyThreads_admitsExactlyItsCapacity() throws Exception {
        try (BareTickingLimiter limiter = new BareTickingLimiter(SLOW)) {
            assertThat(admitted(limiter::tryConsume)).isEqualTo(CAPACITY);
        }
    }

    @Test
    void openTable_fewKeysAskedByManyThreads_admitsExactlyTheCapacityOfEach() throws Exception {
        String[] keys = Keys.make(4);
        OpenTable table = new OpenTable(keys.length, new BudgetSize(CAPACITY / keys.length, 1, Duration.ofHours(1)));
        assertThat(run(() -> {
                    int admitted = 0;
                    for (int i = 0; i < CAPACITY; i++) {
                        admitted += table.tryConsume(keys[i % keys.length], 1) ? 1 : 0;
                    }
                    return admitted;
                }))
                .isEqualTo(CAPACITY);
    }

    @Test
    void openTable_newKeysMetByManyThreadsAtOnce_admitsEachOnce() throws Exception {
        String[] keys = Keys.make(100_000);
        OpenTable table = new OpenTable(keys.length, new BudgetSize(1, 1, Duration.ofHours(1)));
        assertThat(run(() -> {
                    int admitted = 0;
                    for (String key : keys) {
                        admitted += table.tryConsume(key, 1) ? 1 : 0;
                    }
                    return admitted;
                }))
                .isEqualTo(keys.length);
    }

    @Test
    void openTable_keysOfAllLengths_areToldApart() {
        OpenTable table = new OpenTable(1_000, new BudgetSize(1, 1, Duration.ofHours(1)));
        String key = "";
        for (int i = 0; i < 200; i++) {
            assertThat(table.tryConsume(key, 1)).as(key).isTrue();
            assertThat(table.tryConsume(key, 1)).as(key).isFalse();
            key += (char) (i % 3 == 0 ? 0 : 'a' + i * 7);
        }
    }

    @Test
    void keyedLimiters_spendingTheHeadStart_countsItForEveryKey() {
        String[] keys = Keys.make(50);
        for (String name : List.of("openTable", "weir", "mapOfLongs", "mapOfBuckets", "registry")) {
            KeyedLimiter limiter = KeyedLimiter.of(name, keys.length);
            limiter.fill(keys);
            int rest = BudgetSize.DEEP.capacity() - BudgetSize.HEAD_START;
            for (String key : keys) {
                // About a token comes back meanwhile; a cost that exceeds the rest by far more is refused.
                assertThat(limiter.tryConsume(key, rest + 500)).as(name).isFalse();
                assertThat(limiter.tryConsume(key, rest)).as(name).isTrue();
                assertThat(limiter.tryConsume(key, 500)).as(name).isFalse();
            }
        }
    }

    private static int admitted(BooleanSupplier limiter) throws Exception {
        return run(() -> {
            int admitted = 0;
            for (int i = 0; i < CAPACITY; i++) {
                admitted += limiter.getAsBoolean() ? 1 : 0;
            }
            return admitted;
        });
    }

    /** The sum of the results of four threads that start together. */
    private static int run(Callable<Integer> task) throws Exception {
        CyclicBarrier start = new CyclicBarrier(4);
        Callable<Integer> together = () -> {
            start.await();
            return task.call();
        };
        ExecutorService threads = Executors.newFixedThreadPool(start.getParties());
        try {
            int sum = 0;
            for (Future<Integer> answer : threads.invokeAll(Collections.nCopies(start.getParties(), together))) {
                sum += answer.get();
            }
            return sum;
        } finally {
            threads.shutdownNow();
        }
    }
}
