package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many keys at once, while the table grows, is swept and overflows. Time moves only between the rounds. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryStoreTableConcurrencyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int THREADS = 8;
    private static final int LIMIT = 10;

    private final FakeClock clock = new FakeClock();

    /** Budgets become full between rounds, are swept or not, and are used again. */
    @Test
    void keys_comingAndGoingWhileTheTableGrows_eachGetsExactlyItsLimit() {
        Policy bucket = TokenBucket.of(LIMIT, LIMIT, MINUTE);
        Policy window = FixedWindow.of(LIMIT, MINUTE);
        Policy sliding = SlidingWindow.of(LIMIT, MINUTE);
        assertEachGetsItsLimit(100_000, 6_000, round -> List.of(bucket));
        assertEachGetsItsLimit(100_000, 6_000, round -> List.of(window));
        assertEachGetsItsLimit(100_000, 3_000, round -> List.of(sliding));
    }

    @Test
    void policies_changingMeanwhile_eachKeyGetsExactlyItsLimit() {
        List<Policy> packed = List.of(
                TokenBucket.of(LIMIT, LIMIT, MINUTE),
                FixedWindow.of(LIMIT, MINUTE),
                FixedWindow.of(LIMIT, MINUTE.multipliedBy(2)));
        assertEachGetsItsLimit(100_000, 4_000, round -> packed);
    }

    /** Between a packed state in the table and a ledger beside it. */
    @Test
    void policies_changingTheirKindMeanwhile_eachKeyGetsExactlyItsLimit() {
        List<Policy> mixed = List.of(TokenBucket.of(LIMIT, LIMIT, MINUTE), SlidingWindow.of(LIMIT, MINUTE));
        assertEachGetsItsLimit(100_000, 2_000, round -> mixed);
    }

    /** With far more keys than there is room for, memory is bounded and no key gets more than its limit. */
    @Test
    void keys_farMoreThanThereIsRoomFor_areBoundedAndNeverGetMore() {
        for (Policy policy : List.<Policy>of(TokenBucket.of(LIMIT, LIMIT, MINUTE), FixedWindow.of(LIMIT, MINUTE))) {
            try (MemoryStore store = newStore(512)) {
                AtomicIntegerArray admitted = flood(store, policy, 20_000, 200_000);
                assertThat(store.entries()).as("%s", policy).isLessThanOrEqualTo(512);
                for (int i = 0; i < admitted.length(); i++) {
                    assertThat(admitted.get(i)).as("key %s", i).isLessThanOrEqualTo(LIMIT);
                }
                // All budgets are full after a minute: new keys are admitted, and the table has room again.
                clock.advance(MINUTE);
                for (int i = 0; i < 100; i++) {
                    assertThat(store.consume(List.of(new Charge(key(100_000 + i), policy, LIMIT)))
                                    .now()
                                    .admitted())
                            .as("%s, newcomer %s", policy, i)
                            .isTrue();
                }
                assertThat(store.entries()).isLessThanOrEqualTo(512);
            }
        }
    }

    @Test
    void slidingKeys_farMoreThanThereIsRoomFor_areBoundedAndNeverGetMore() {
        Policy policy = SlidingWindow.of(LIMIT, MINUTE);
        try (MemoryStore store = newStore(8_192)) {
            AtomicIntegerArray admitted = flood(store, policy, 20_000, 200_000);
            assertThat(store.entries()).isLessThanOrEqualTo(8_192);
            for (int i = 0; i < admitted.length(); i++) {
                assertThat(admitted.get(i)).as("key %s", i).isLessThanOrEqualTo(LIMIT);
            }
        }
    }

    /** An attacker with a million keys resets no count of another key. */
    @Test
    void counts_thatExistBeforeAFlood_areKept() {
        for (Policy policy : List.<Policy>of(
                TokenBucket.of(LIMIT, LIMIT, MINUTE), FixedWindow.of(LIMIT, MINUTE), SlidingWindow.of(LIMIT, MINUTE))) {
            try (MemoryStore store = newStore(512)) {
                for (int i = 0; i < 60; i++) {
                    store.consume(List.of(new Charge(Key.of("victim", "" + i), policy, 7)));
                }
                flood(store, policy, 20_000, 100_000);
                store.sweep();
                for (int i = 0; i < 60; i++) {
                    assertThat(store.peek(List.of(Charge.of(Key.of("victim", "" + i), policy)))
                                    .now()
                                    .reading(0)
                                    .remaining())
                            .as("%s, victim %s", policy, i)
                            .isEqualTo(3);
                }
            }
        }
    }

    /** Many rounds in a table that is too small: keys that move to overflow and back never exceed the limit. */
    @Test
    void overflow_roundAfterRound_neverGivesMore() {
        Policy policy = FixedWindow.of(LIMIT, MINUTE);
        try (MemoryStore store = newStore(256)) {
            for (int round = 0; round < 30; round++) {
                AtomicIntegerArray admitted = flood(store, policy, 150 + 40 * round, 20_000);
                for (int i = 0; i < admitted.length(); i++) {
                    assertThat(admitted.get(i)).as("round %s, key %s", round, i).isLessThanOrEqualTo(LIMIT);
                }
                assertThat(store.entries()).isLessThanOrEqualTo(256);
                clock.advance(MINUTE);
            }
        }
    }

    private void assertEachGetsItsLimit(int maxEntries, int keys, IntFunction<List<Policy>> policiesOfRound) {
        try (MemoryStore store = newStore(maxEntries)) {
            for (int round = 0; round < 4; round++) {
                List<Policy> policies = policiesOfRound.apply(round);
                AtomicIntegerArray admitted = new AtomicIntegerArray(keys);
                int present = round;
                ParallelThreads.run(THREADS, thread -> {
                    SplittableRandom random = new SplittableRandom(thread);
                    for (int i = 0; i < 2 * LIMIT * keys / THREADS; i++) {
                        // In order, so that each key is checked often enough, but every thread begins elsewhere.
                        int key = (i + thread * keys / THREADS) % keys;
                        Policy policy = policies.get(random.nextInt(policies.size()));
                        if (store.consume(List.of(Charge.of(key(key), policy)))
                                .now()
                                .admitted()) {
                            admitted.incrementAndGet(key);
                        }
                        if (present % 2 == 1 && thread == 0 && i % 1_000 == 0) {
                            store.sweep();
                        }
                    }
                    return 0;
                });
                for (int i = 0; i < keys; i++) {
                    assertThat(admitted.get(i))
                            .as("%s, round %s, key %s", policies, round, i)
                            .isEqualTo(LIMIT);
                }
                clock.advance(MINUTE.multipliedBy(2));
            }
        }
    }

    /** Makes so many checks on random keys; returns the admitted units of each key. */
    private static AtomicIntegerArray flood(MemoryStore store, Policy policy, int keys, int checks) {
        AtomicIntegerArray admitted = new AtomicIntegerArray(keys);
        RateLimiter limiter = RateLimiter.on(store, "flood", policy);
        ParallelThreads.run(THREADS, thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int i = 0; i < checks / THREADS; i++) {
                // Some keys are checked far more often than others.
                int key = random.nextInt(1 + random.nextInt(keys));
                if (limiter.tryConsume("" + key)) {
                    admitted.incrementAndGet(key);
                }
            }
            return 0;
        });
        return admitted;
    }

    private MemoryStore newStore(int maxEntries) {
        return MemoryStore.create(
                MemoryStoreOptions.defaults().maxEntries(maxEntries).timeSource(clock));
    }

    private static Key key(int number) {
        return Key.of("flood", "" + number);
    }
}
