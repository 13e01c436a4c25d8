package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.ParallelThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Admissions are exact under concurrent calls. */
public abstract class ParallelContract extends ContractPart {
    private static final int THREADS = 15;

    /** Fifteen concurrent charges on a capacity of ten. */
    @Test
    void consume_fifteenParallelAgainstTen_admitsExactlyTen() {
        for (int round = 0; round < 10; round++) {
            Key key = key("round " + round);
            Policy policy = TokenBucket.of(10, 1, Duration.ofDays(3_650));
            long admitted = ParallelThreads.sum(
                    THREADS, thread -> consume(key, policy, 1).admitted() ? 1L : 0L);
            assertThat(admitted).isEqualTo(10);
        }
    }

    @Test
    void consume_manyParallelOnEveryPolicy_admitsExactlyTheCapacity() {
        forEveryPolicy((policy, key, tenth) -> {
            long admitted = ParallelThreads.sum(
                    8,
                    thread -> count(20, attempt -> consume(key, policy, tenth).admitted()));
            assertThat(admitted).as("%s", policy).isEqualTo(10);
            assertThat(remaining(key, policy)).as("%s", policy).isZero();
        });
    }

    @Test
    void consume_parallelWithDifferentCosts_neverSpendsMoreThanThereIs() {
        forEveryPolicy((policy, key, tenth) -> {
            long spent = ParallelThreads.sum(8, thread -> {
                long sum = 0;
                for (int i = 0; i < 12; i++) {
                    long cost = 1 + (thread + i) % 3 * tenth;
                    sum += consume(key, policy, cost).admitted() ? cost : 0;
                }
                return sum;
            });
            assertThat(spent).as("%s", policy).isLessThanOrEqualTo(policy.capacity());
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity() - spent);
        });
    }

    /** Independent policies on one store. */
    @Test
    void consume_parallelOnIndependentLimits_eachAdmitsItsOwn() {
        List<Policy> policies = policies(
                FixedWindow.of(7, DAY), SlidingWindow.of(11, DAY), TokenBucket.of(13, 1, Duration.ofDays(3_650)));
        List<List<Long>> counts = ParallelThreads.run(
                6,
                thread -> policies.stream()
                        .map(policy -> count(
                                15, attempt -> consume(key(policy), policy, 1).admitted()))
                        .toList());
        for (int i = 0; i < policies.size(); i++) {
            int limit = i;
            assertThat(counts.stream().mapToLong(each -> each.get(limit)).sum())
                    .as("%s", policies.get(i))
                    .isEqualTo(policies.get(i).capacity());
        }
    }

    /** Every decision charges two keys, in either order. Each limit is the smaller one for half of the threads. */
    @Test
    void consume_parallelOverCrossingLimits_spendsExactlyWhatWasAdmitted() {
        Policy wide = FixedWindow.of(60, DAY);
        Policy narrow = SlidingWindow.of(40, DAY);
        Policy other = TokenBucket.of(50, 1, Duration.ofDays(3_650));
        AtomicLong both = new AtomicLong();
        AtomicLong twisted = new AtomicLong();
        ParallelThreads.sum(8, thread -> {
            for (int i = 0; i < 20; i++) {
                if (thread % 2 == 0) {
                    both.addAndGet(spent(consume(charge("a", wide), charge("b", narrow), charge("c", other))));
                } else {
                    twisted.addAndGet(spent(consume(charge("c", other), charge("a", wide))));
                }
            }
            return 0L;
        });
        assertThat(remaining(key("a"), wide)).isEqualTo(60 - both.get() - twisted.get());
        assertThat(remaining(key("b"), narrow)).isEqualTo(40 - both.get());
        assertThat(remaining(key("c"), other)).isEqualTo(50 - both.get() - twisted.get());
        assertThat(both.get() + twisted.get()).isPositive().isLessThanOrEqualTo(50);
    }

    @Test
    void reserve_parallel_neverHoldsMoreThanTheBudget() {
        Policy policy = FixedWindow.of(1_000, DAY);
        long admitted = ParallelThreads.sum(
                THREADS,
                thread -> count(
                        10,
                        i -> await(store().reserve(
                                                "r" + thread + "-" + i,
                                                List.of(new Charge(key("tokens"), policy, 30)),
                                                MINUTE))
                                .admitted()));
        assertThat(admitted).isEqualTo(1_000 / 30);
    }

    @Test
    void settle_parallelUnderOneId_isDoneOnce() {
        Policy policy = FixedWindow.of(1_000, DAY);
        await(store().reserve("one", List.of(new Charge(key("tokens"), policy, 500)), MINUTE));
        long done = ParallelThreads.sum(THREADS, thread -> await(store().cancel("one")) == Settlement.DONE ? 1L : 0L);
        assertThat(done).isEqualTo(1);
        assertThat(remaining(key("tokens"), policy)).isEqualTo(1_000);
    }

    @Test
    void reserve_parallelUnderOneId_spendsOnce() {
        Policy policy = FixedWindow.of(1_000, DAY);
        List<Charge> charges = List.of(new Charge(key("tokens"), policy, 100));
        long admitted = ParallelThreads.sum(
                THREADS,
                thread -> await(store().reserve("same", charges, MINUTE)).admitted() ? 1L : 0L);
        assertThat(admitted).isEqualTo(THREADS);
        assertThat(remaining(key("tokens"), policy)).isEqualTo(900);
    }

    @Test
    void acquire_fifteenParallelAgainstTen_holdsExactlyTen() {
        for (int round = 0; round < 10; round++) {
            Key key = key("round " + round);
            String prefix = "lease " + round + " ";
            Policy slots = Concurrency.of(10);
            long held = ParallelThreads.sum(
                    THREADS,
                    thread -> await(store().acquire(prefix + thread, List.of(Charge.of(key, slots)), MINUTE))
                                    .admitted()
                            ? 1L
                            : 0L);
            assertThat(held).isEqualTo(10);
        }
    }

    @Test
    void release_parallelUnderOneId_freesOnce() {
        Policy slots = Concurrency.of(3);
        for (int i = 0; i < 3; i++) {
            await(store().acquire("lease " + i, List.of(Charge.of(key("slots"), slots)), MINUTE));
        }
        long freed = ParallelThreads.sum(THREADS, thread -> await(store().release("lease 1")) ? 1L : 0L);
        assertThat(freed).isEqualTo(1);
        assertThat(remaining(key("slots"), slots)).isEqualTo(1);
    }

    private static Charge charge(String name, Policy policy) {
        return Charge.of(key(name), policy);
    }

    private static long spent(Decision decision) {
        return decision.admitted() ? 1 : 0;
    }

    private interface Attempt {
        boolean succeeds(int number);
    }

    private static long count(int attempts, Attempt attempt) {
        long count = 0;
        for (int i = 0; i < attempts; i++) {
            count += attempt.succeeds(i) ? 1 : 0;
        }
        return count;
    }
}
