package dev.weir.testkit;

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
import dev.weir.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decisions over several limits, refunds, reservations and leases in many threads: the sums are exact in the end. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryStoreDecisionConcurrencyTest {
    private static final int THREADS = 64;
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration DECADE = Duration.ofDays(3_650);

    private final MemoryStore store = MemoryStore.create();

    @AfterEach
    void close() {
        store.close();
    }

    /** A decision that loses a race gives its units back: no limit is exceeded, and nothing is lost. */
    @Test
    void limits_crossingEachOther_holdExactlyWhatWasAdmitted() {
        assertExact(FixedWindow.of(100_000, DAY), FixedWindow.of(70_000, DAY));
        assertExact(TokenBucket.of(100_000, 1, DECADE), FixedWindow.of(70_000, DAY));
        assertExact(SlidingWindow.of(30_000, DAY), TokenBucket.of(20_000, 1, DECADE));
        assertExact(SlidingWindow.of(400, DAY), SlidingWindow.of(300, DAY));
        assertExact(FixedWindow.of(1_000_000_000_000L, DAY), TokenBucket.of(20_000, 1, DECADE));
    }

    /** The second limit is always nearly used up: many decisions see free units and lose the race for them. */
    @Test
    void limits_alwaysAtTheEdge_loseNothingInLostRaces() {
        assertNothingLost(FixedWindow.of(1_000_000, DAY), FixedWindow.of(1, DAY));
        assertNothingLost(TokenBucket.of(1_000_000, 1, DECADE), SlidingWindow.of(2, DAY));
        assertNothingLost(SlidingWindow.of(1_000_000, DAY), FixedWindow.of(2, DAY));
    }

    private void assertNothingLost(Policy wide, Policy scarce) {
        Key a = Key.of("wide", wide.toString(), scarce.toString());
        Key b = Key.of("scarce", wide.toString(), scarce.toString());
        List<Charge> both = List.of(Charge.of(a, wide), Charge.of(b, scarce));
        long admitted = ParallelThreads.sum(
                16,
                thread -> count(20_000, () -> {
                    Decision decision = consume(both);
                    if (decision.admitted()) {
                        store.refund(decision);
                    }
                    return decision.admitted();
                }));
        assertThat(admitted).isPositive();
        assertThat(remaining(a, wide)).as("%s, %s", wide, scarce).isEqualTo(wide.capacity());
        assertThat(remaining(b, scarce)).as("%s, %s", wide, scarce).isEqualTo(scarce.capacity());
    }

    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void sameKeyTwice_fromManyThreads_spendsTheSumOrNothing() {
        for (Policy policy : List.<Policy>of(
                FixedWindow.of(1_001, DAY), TokenBucket.of(1_001, 1, DECADE), SlidingWindow.of(401, DAY))) {
            Key key = Key.of(policy.toString());
            List<Charge> charges = List.of(new Charge(key, policy, 2), new Charge(key, policy, 1));
            long admitted = ParallelThreads.sum(
                    8, thread -> count(500, () -> consume(charges).admitted()));
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity() - 3 * admitted);
            assertThat(admitted).as("%s", policy).isEqualTo(policy.capacity() / 3);
        }
    }

    @Test
    void refunds_amongCharges_leaveExactlyWhatWasKept() {
        for (Policy policy : List.<Policy>of(
                FixedWindow.of(50_000, DAY), TokenBucket.of(50_000, 1, DECADE), SlidingWindow.of(50_000, DAY))) {
            Key key = Key.of(policy.toString());
            List<Charge> charges = List.of(new Charge(key, policy, 3));
            long kept = ParallelThreads.sum(THREADS, thread -> {
                long sum = 0;
                for (int i = 0; i < 1_000; i++) {
                    Decision decision = consume(charges);
                    if (decision.admitted() && i % 3 > 0) {
                        assertThat(store.refund(decision).now()).isTrue();
                    } else {
                        sum += decision.admitted() ? 3 : 0;
                    }
                }
                return sum;
            });
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity() - kept);
        }
    }

    @Test
    void reservations_settledCancelledAndRepeated_addUp() {
        Policy policy = FixedWindow.of(100_000, DAY);
        List<Charge> charges = List.of(new Charge(Key.of("tokens"), policy, 10));
        long used = ParallelThreads.sum(THREADS, thread -> {
            long sum = 0;
            for (int i = 0; i < 300; i++) {
                String id = thread + "/" + i;
                if (!store.reserve(id, charges, DAY).now().admitted()) {
                    continue;
                }
                store.reserve(id, charges, DAY);
                long actual = i % 21;
                Settlement closed = i % 4 == 0
                        ? store.cancel(id).now()
                        : store.settle(id, Map.of("tokens", actual)).now();
                assertThat(closed).isEqualTo(Settlement.DONE);
                assertThat(store.cancel(id).now()).isEqualTo(Settlement.ALREADY_CLOSED);
                sum += i % 4 == 0 ? 0 : actual;
            }
            return sum;
        });
        // The debt is at most one capacity; this stays within it.
        assertThat(used).isLessThan(200_000);
        assertThat(remaining(Key.of("tokens"), policy)).isEqualTo(Math.max(0, 100_000 - used));
    }

    @Test
    void leases_takenAndReleasedByMany_neverHoldMoreThanThereIs() {
        Policy slots = Concurrency.of(10);
        List<Charge> charges = List.of(new Charge(Key.of("slots"), slots, 2));
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        long admitted = ParallelThreads.sum(THREADS, thread -> {
            long count = 0;
            for (int i = 0; i < 2_000; i++) {
                String id = "lease " + thread;
                if (store.acquire(id, charges, Duration.ofHours(1)).now().admitted()) {
                    most.accumulateAndGet(held.addAndGet(2), Math::max);
                    assertThat(store.renew(id, Duration.ofHours(2)).now()).isTrue();
                    held.addAndGet(-2);
                    assertThat(store.release(id).now()).isTrue();
                    count++;
                }
            }
            return count;
        });
        assertThat(admitted).isPositive();
        assertThat(most.get()).isLessThanOrEqualTo(10);
        assertThat(remaining(Key.of("slots"), slots)).isEqualTo(10);
    }

    /** A reset among charges: never more than the limit for each reset. */
    @Test
    void resets_amongCharges_giveOneQuotaEach() {
        for (Policy policy :
                List.<Policy>of(FixedWindow.of(100, DAY), TokenBucket.of(100, 1, DECADE), SlidingWindow.of(100, DAY))) {
            Key key = Key.of(policy.toString());
            List<Charge> charges = List.of(Charge.of(key, policy));
            long admitted = ParallelThreads.sum(8, thread -> {
                long count = 0;
                for (int i = 0; i < 2_000; i++) {
                    if (thread == 0 && i % 100 == 99) {
                        store.reset(List.of(key));
                    }
                    count += consume(charges).admitted() ? 1 : 0;
                }
                return count;
            });
            assertThat(admitted).as("%s", policy).isLessThanOrEqualTo(100 * 21);
            assertThat(remaining(key, policy)).isBetween(0L, 100L);
        }
    }

    private void assertExact(Policy one, Policy other) {
        Key a = Key.of("a", one.toString(), other.toString());
        Key b = Key.of("b", one.toString(), other.toString());
        List<Charge> both = List.of(new Charge(a, one, 2), new Charge(b, other, 3));
        List<Charge> twisted = List.of(new Charge(b, other, 1), new Charge(a, one, 1));
        AtomicLong spentA = new AtomicLong();
        AtomicLong spentB = new AtomicLong();
        ParallelThreads.run(THREADS, thread -> {
            for (int i = 0; i < 100_000 / THREADS; i++) {
                if (thread % 2 == 0 && consume(both).admitted()) {
                    spentA.addAndGet(2);
                    spentB.addAndGet(3);
                } else if (consume(twisted).admitted()) {
                    spentA.addAndGet(1);
                    spentB.addAndGet(1);
                }
            }
            return 0;
        });
        assertThat(spentA.get()).isLessThanOrEqualTo(one.capacity());
        assertThat(spentB.get()).isLessThanOrEqualTo(other.capacity());
        assertThat(remaining(a, one)).isEqualTo(one.capacity() - spentA.get());
        assertThat(remaining(b, other)).isEqualTo(other.capacity() - spentB.get());
    }

    private Decision consume(List<Charge> charges) {
        return store.consume(charges).now();
    }

    private long remaining(Key key, Policy policy) {
        return store.peek(List.of(Charge.of(key, policy))).now().reading(0).remaining();
    }

    private interface Attempt {
        boolean succeeds();
    }

    private static long count(int attempts, Attempt attempt) {
        long count = 0;
        for (int i = 0; i < attempts; i++) {
            count += attempt.succeeds() ? 1 : 0;
        }
        return count;
    }
}
