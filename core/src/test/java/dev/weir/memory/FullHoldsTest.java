package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store with more reservations and leases than it has room for: closed and expired ones take none. */
class FullHoldsTest {
    private static final int ROOM = 100;
    private static final Policy POLICY = TokenBucket.perSecond(1_000_000);
    private static final List<Charge> CHARGES = List.of(Charge.of(Key.of("k"), POLICY));
    private static final Duration HOUR = Duration.ofHours(1);

    private final Clock clock = new Clock();
    private final MemoryStore store = MemoryStore.create(
            MemoryStoreOptions.defaults().maxEntries(4 * ROOM).timeSource(clock));

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

    @Test
    void reserve_withoutRoom_isFull_forThisCallOnly() {
        for (int i = 0; i < ROOM; i++) {
            reserve("open" + i);
        }
        assertThatThrownBy(() -> reserve("one more"))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
                    assertThat(e.retryable()).isTrue();
                })
                .hasMessageContaining("100 reservations");
        reserve("open7");
        assertThat(store.consume(CHARGES).now().admitted()).isTrue();
        assertThat(store.settle("open3", Map.of()).now()).isEqualTo(Settlement.DONE);
        reserve("one more");
    }

    @Test
    void closedReservations_takeNoRoom() {
        for (int i = 0; i < 50 * ROOM; i++) {
            reserve("r" + i);
            assertThat((i % 2 == 0 ? store.cancel("r" + i) : store.settle("r" + i, Map.of())).now())
                    .isEqualTo(Settlement.DONE);
        }
        assertThat(store.cancel("r" + (50 * ROOM - 1)).now())
                .as("lately closed")
                .isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(store.cancel("r0").now()).as("long forgotten").isEqualTo(Settlement.UNKNOWN);
        assertThat(store.holds()).isLessThanOrEqualTo(2 * ROOM);
    }

    @Test
    void refundedReservations_takeNoRoom() {
        for (int i = 0; i < 5 * ROOM; i++) {
            assertThat(store.refund(store.reserve("r" + i, CHARGES, HOUR).now()).now())
                    .isTrue();
        }
        assertThat(store.cancel("r" + (5 * ROOM - 1)).now()).isEqualTo(Settlement.ALREADY_CLOSED);
    }

    @Test
    void closedReservation_isForgottenAfterAMinute() {
        reserve("r");
        store.cancel("r");
        clock.nanos += Store.CLOSED_TTL.toNanos();
        assertThat(store.cancel("r").now()).isEqualTo(Settlement.UNKNOWN);
        store.sweep();
        assertThat(store.holds()).isZero();
    }

    @Test
    void expiredHolds_makeRoom_whateverTheirOrder() {
        for (int i = 0; i < ROOM; i++) {
            store.reserve("r" + i, CHARGES, Duration.ofMinutes(1 + (i * 37) % ROOM));
            store.acquire("l" + i, List.of(Charge.of(Key.of("s" + i), Concurrency.of(1))), Duration.ofMinutes(1 + i));
        }
        clock.nanos += Duration.ofMinutes(10).toNanos();
        for (int i = 0; i < 10; i++) {
            reserve("new" + i);
            store.acquire("n" + i, List.of(Charge.of(Key.of("s" + i), Concurrency.of(1))), HOUR);
        }
        assertThatThrownBy(() -> reserve("new10")).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.acquire("n10", List.of(Charge.of(Key.of("z"), Concurrency.of(1))), HOUR))
                .isInstanceOf(StoreException.class);
    }

    @Test
    void prolongedReservation_keepsItsRoom_untilItsNewEnd() {
        reserve("kept");
        for (int i = 1; i < ROOM; i++) {
            store.reserve("r" + i, CHARGES, Duration.ofMinutes(1));
        }
        assertThat(store.prolong("kept", HOUR.multipliedBy(3)).now()).isTrue();
        clock.nanos += 2 * HOUR.toNanos();
        for (int i = 1; i < ROOM; i++) {
            reserve("new" + i);
        }
        assertThatThrownBy(() -> reserve("new100")).isInstanceOf(StoreException.class);
        assertThat(store.settle("kept", Map.of()).now()).isEqualTo(Settlement.DONE);
        reserve("new100");
    }

    private void reserve(String id) {
        assertThat(store.reserve(id, CHARGES, HOUR).now().admitted()).isTrue();
    }
}
