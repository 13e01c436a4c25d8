package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store with far more keys than it has room for. Every call completes, no limit is exceeded, and no key is refused
 * for good.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullMemoryStoreTest {
    private static final Duration YEAR = Duration.ofDays(365);
    /** The number of shared budgets for each policy: of packed states, and of ledgers. */
    private static final int SHARED_STATES = Shard.SHARED;

    private static final int SHARED_BOXES = 1024;

    private final Clock clock = new Clock();

    private static final class Clock implements TimeSource {
        private long nanos;

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long epochMillis() {
            return 1_700_000_000_000L + nanos / 1_000_000;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 16, 31, 100})
    void keys_inAnyTinyStore_getNoMoreThanTheirLimit(int room) {
        MemoryStore store = store(room);
        Policy policy = TokenBucket.of(1, 1, YEAR);
        fill(store, 500, policy);
        for (int i = 0; i < 500; i++) {
            Charge charge = Charge.of(key("filler", i), policy);
            long admitted =
                    IntStream.range(0, 5).filter(turn -> take(store, charge)).count();
            assertThat(admitted).as("key %s", i).isLessThanOrEqualTo(1);
        }
    }

    /** More policies than there is room for their shared budgets. */
    @Test
    void keys_ofMorePolicies_getNoMoreThanTheirLimit() {
        MemoryStore store = store(4_096);
        List<Policy> policies = IntStream.range(0, 12)
                .<Policy>mapToObj(i -> TokenBucket.of(1, 1, YEAR.plusDays(i)))
                .toList();
        int[] admitted = new int[20_000];
        for (int turn = 0; turn < 4; turn++) {
            for (int i = 0; i < admitted.length; i++) {
                admitted[i] += take(store, Charge.of(key("k", i), policies.get(i % 12))) ? 1 : 0;
            }
        }
        assertThat(admitted).containsOnly(0, 1);
    }

    @Test
    void decision_withoutRoomEvenToShare_ends() {
        MemoryStore store = store(100);
        Policy policy = TokenBucket.of(1, 1, YEAR);
        fill(store, 1_000, policy);
        for (int i = 0; i < 1_000; i++) {
            take(store, Charge.of(key("b", i), policy), Charge.of(key("c", i), policy));
        }
        assertThat(store.entries()).isLessThanOrEqualTo(100);
    }

    /** Each charge would fit alone. */
    @Test
    void decision_overTwoKeysOfOneSharedBudget_isRefused() {
        MemoryStore packed = store(1_000);
        fill(packed, 2_000, TokenBucket.of(1, 1, YEAR));
        Policy bucket = TokenBucket.of(3, 1, YEAR);
        List<Key> mates = mates(2, key -> Long.remainderUnsigned(key.hash() >>> 10, SHARED_STATES));
        assertThat(take(packed, new Charge(mates.get(0), bucket, 2), new Charge(mates.get(1), bucket, 2)))
                .isFalse();

        MemoryStore large = store(16);
        Policy window = SlidingWindow.of(3, YEAR);
        fill(large, 4, window);
        List<Key> others = mates(2, key -> Long.remainderUnsigned(key.hash(), SHARED_BOXES));
        assertThat(take(large, new Charge(others.get(0), window, 2), new Charge(others.get(1), window, 2)))
                .isFalse();
        assertThat(take(large, new Charge(others.get(0), window, 3))).isTrue();
    }

    @Test
    void key_thatSpentUnderAnotherPolicy_takesItIntoASharedLedger() {
        MemoryStore store = store(400);
        Policy window = SlidingWindow.of(10, YEAR);
        Key key = Key.of("k");
        assertThat(take(store, new Charge(key, FixedWindow.of(10, YEAR), 7))).isTrue();
        fill(store, 100, window);
        assertThat(take(store, new Charge(key, window, 4))).isFalse();
        assertThat(take(store, new Charge(key, window, 3))).isTrue();
        assertThat(take(store, Charge.of(key, window))).isFalse();
    }

    @Test
    void keys_thatKeepComing_leaveTheSharedLedgerWhenThereIsRoom() {
        MemoryStore store = store(400);
        Policy policy = SlidingWindow.of(10, Duration.ofSeconds(1));
        List<Key> mates = mates(10, key -> Long.remainderUnsigned(key.hash(), SHARED_BOXES));
        fill(store, 100, policy);
        int lastSecond = 0;
        for (int millis = 0; millis < 10_000; millis += 50) {
            clock.nanos += 50_000_000;
            lastSecond = millis % 1_000 == 0 ? 0 : lastSecond;
            lastSecond += take(store, Charge.of(mates.get(millis / 50 % 10), policy)) ? 1 : 0;
        }
        assertThat(lastSecond)
                .as("all that ten clients ask for in a second, where each may ask for ten")
                .isEqualTo(20);
    }

    @Test
    void lease_askedForAgainWhenFull_isStillHeld() {
        MemoryStore store = store(4);
        List<Charge> slot = List.of(Charge.of(Key.of("k"), Concurrency.of(1)));
        assertThat(store.acquire("A", slot, Duration.ofHours(1)).now().admitted())
                .isTrue();
        assertThat(store.acquire("A", slot, Duration.ofHours(1)).now().admitted())
                .isTrue();
    }

    /**
     * The flood's own budgets are full after a second, and are evicted. Units that it spent from shared budgets take a
     * minute to come back. They do not affect clients that never shared one.
     */
    @Test
    void newClients_rightAfterAFlood_beginWithFreshBudgets() {
        int room = 16_384;
        MemoryStore store = store(room);
        Policy policy = TokenBucket.perMinute(60);
        for (int i = 0; i < 70 * room; i++) {
            clock.nanos += 1_000;
            take(store, Charge.of(key("flood", i), policy));
        }
        clock.nanos += Duration.ofSeconds(1).toNanos();
        int served = 0;
        for (int i = 0; i < 1_000; i++) {
            served += take(store, new Charge(key("honest", i), policy, 60)) ? 1 : 0;
        }
        assertThat(served)
                .as("of a thousand new clients that want all they may have")
                .isGreaterThan(800);
        assertThat(store.entries()).isLessThanOrEqualTo(room);
    }

    /** As many as one budget admits, while it is shared and after the key has got its own. */
    @Test
    void key_thatSharesABudget_getsNoMoreThanItsLimit_whateverBecomesOfTheTable() {
        MemoryStore store = store(16_384);
        List<Policy> policies = IntStream.range(0, 6)
                .<Policy>mapToObj(i -> TokenBucket.of(2, 1, YEAR.plusDays(i)))
                .toList();
        int[] admitted = new int[60_000];
        for (int turn = 0; turn < 4; turn++) {
            for (int i = 0; i < admitted.length; i++) {
                admitted[i] += take(store, Charge.of(key("k", i), policies.get(i % 6))) ? 1 : 0;
            }
            // Some budgets are evicted, and others take their entries.
            for (int i = turn; i < admitted.length; i += 7) {
                if (admitted[i] == 0) {
                    store.reset(List.of(key("k", i)));
                }
            }
        }
        assertThat(IntStream.of(admitted).max().orElse(0)).isLessThanOrEqualTo(2);
        assertThat(store.entries()).isLessThanOrEqualTo(16_384);
    }

    private MemoryStore store(int room) {
        return MemoryStore.create(MemoryStoreOptions.defaults().maxEntries(room).timeSource(clock));
    }

    private static void fill(MemoryStore store, int keys, Policy policy) {
        for (int i = 0; i < keys; i++) {
            take(store, Charge.of(key("filler", i), policy));
        }
    }

    private static Key key(String scope, int number) {
        return Key.of(scope, "" + number);
    }

    private static boolean take(MemoryStore store, Charge... charges) {
        return store.consume(List.of(charges)).now().admitted();
    }

    /** Keys that share a budget when the store is full. */
    private static List<Key> mates(int count, ToLongFunction<Key> budget) {
        List<Key> mates = new ArrayList<>(List.of(key("mate", 0)));
        for (int i = 1; mates.size() < count; i++) {
            if (budget.applyAsLong(key("mate", i)) == budget.applyAsLong(mates.get(0))) {
                mates.add(key("mate", i));
            }
        }
        return mates;
    }
}
