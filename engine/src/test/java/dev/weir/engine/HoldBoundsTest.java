package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.Settlement;
import dev.weir.StoreException;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that reserves without end does not affect others. */
class HoldBoundsTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final int ROOM = 100;

    private final FakeClock clock = new FakeClock();
    private final FailureInjectingStore store = new FailureInjectingStore(MemoryStore.create(
            MemoryStoreOptions.defaults().maxEntries(4 * ROOM).timeSource(clock)));
    private final Weir weir = Weir.of(
            PresetEngine.configuration("""
                    on-store-failure: allow
                    holds: { open-reservations: 20, longest-reservation: 10m, longest-lease: 30m }
                    limits:
                      - { name: all, rate: 1000000/s }
                      - { name: requests, per: [user], rate: 1000/s }
                      - { name: slots, per: [user], rate: 1000, algorithm: concurrency }
                    """),
            store,
            new InMemorySettings(),
            WeirOptions.defaults().withGuard(new GuardOptions(Duration.ofSeconds(20), 3, Duration.ofMinutes(1))));

    @AfterEach
    void close() {
        weir.close();
    }

    private Hold reserve(String user) {
        return weir.reserve(Request.of(Map.of("user", user)), TTL);
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureInjectingStore.Behavior.class,
            names = {"WELL", "LATER"})
    void fullStore_refusesReservationsOnly_whateverOnStoreFailureSays(FailureInjectingStore.Behavior behavior) {
        for (int i = 0; i < ROOM; i++) {
            assertThat(reserve("u" + i).granted()).isTrue();
        }
        store.be(behavior);
        try (LogLines log = new LogLines()) {
            for (int i = 0; i < 50; i++) {
                Outcome refused = reserve("v" + i).outcome();
                assertThat(refused.allowed()).isFalse();
                assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE);
                assertThat(refused.isFull()).isTrue();
                assertThat(refused.limits()).extracting(LimitResult::name).containsExactly("all", "requests");
            }
            assertThat(log.with("reservations were refused"))
                    .isNotEmpty()
                    .allMatch(line -> line.contains("FailureInjectingStore: there are 100 reservations already"));
            assertThat(log.with("temporarily unavailable")).isEmpty();
        }
        assertThat(weir.store().isCircuitOpen()).as("it answers").isFalse();
        Outcome honest = weir.check(Map.of("user", "honest"));
        assertThat(honest.reason()).isEqualTo(Reason.ALLOWED);
        assertThat(weir.acquire(Request.of(Map.of("user", "honest")), TTL).granted())
                .isTrue();
        assertThat(weir.counts().unavailableDenied()).isEqualTo(50);
        assertThat(weir.counts().unavailableAllowed()).isZero();
        clock.advance(TTL);
        assertThat(reserve("honest").granted()).isTrue();
    }

    @Test
    void refusalOfAFullStore_saysWhatToDo() {
        for (int i = 0; i < 20; i++) {
            reserve("u");
        }
        String document = new String(HttpDecision.document(reserve("u").outcome(), 0), StandardCharsets.UTF_8);
        assertThat(document).contains("\"reason\":\"unavailable\"", "Too many reservations are open; settle or cancel");
    }

    @Test
    void subject_withManyOpenReservations_isRefused_andOthersAreNot() {
        List<Hold> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(reserve("u"));
        }
        assertThat(reserve("u").outcome().isFull()).isTrue();
        assertThat(weir.store().isCircuitOpen()).isFalse();
        assertThat(weir.check(Map.of("user", "u")).allowed()).isTrue();
        assertThat(reserve("other").granted()).isTrue();
        open.get(0).close();
        assertThat(reserve("u").granted()).as("one was cancelled").isTrue();
        assertThat(open.get(1).settle(Map.of("requests", 3L))).isEqualTo(Settlement.DONE);
        assertThat(weir.settle(open.get(1).id(), Map.of())).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(reserve("u").granted()).as("one was settled").isTrue();
        assertThat(reserve("u").granted()).isFalse();
        clock.advance(Duration.ofMinutes(10));
        for (int i = 0; i < 20; i++) {
            assertThat(reserve("u").granted()).as("all have expired").isTrue();
        }
        assertThat(reserve("u").granted()).isFalse();
    }

    @Test
    void subject_thatReservesAndCloses_isNeverRefused_norAnyoneElse() {
        for (int i = 0; i < 50 * ROOM; i++) {
            Hold hold = reserve("u");
            assertThat(hold.granted()).isTrue();
            if (i % 2 == 0) {
                hold.close();
            } else {
                hold.settle(Map.of());
            }
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(reserve("honest").granted()).isTrue();
    }

    @Test
    void subject_thatIsRefusedByALimit_isToldOfThatLimit() {
        try (PresetEngine engine = PresetEngine.yaml("""
                holds: { open-reservations: 2 }
                limits: [{ name: a, per: [user], rate: 2/h }]
                """)) {
            Request request = Request.of(Map.of("user", "u"));
            engine.weir.reserve(request, TTL);
            engine.weir.reserve(request, TTL);
            Outcome refused = engine.weir.reserve(request, TTL).outcome();
            assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
            assertThat(refused.decisive().name()).isEqualTo("a");
        }
    }

    @Test
    void damagedValue_concernsTheCallsThatNeedIt_andEachLimitSaysWhatThen() {
        store.be(FailureInjectingStore.Behavior.DAMAGED);
        for (int i = 0; i < 10; i++) {
            assertThat(weir.check(Map.of("user", "u")).reason()).isEqualTo(Reason.UNAVAILABLE);
        }
        assertThat(weir.store().isCircuitOpen()).isFalse();
        store.be(FailureInjectingStore.Behavior.WELL);
        assertThat(weir.check(Map.of("user", "honest")).reason()).isEqualTo(Reason.ALLOWED);
    }

    @Test
    void damagedValue_afterTheStoreWasGivenUp_saysThatItIsBack() {
        try (Weir quick = Weir.of(
                PresetEngine.configuration("limits: [{ name: a, per: [user], rate: 5/s }]"),
                store,
                new InMemorySettings(),
                WeirOptions.defaults().withGuard(new GuardOptions(Duration.ofSeconds(20), 1, Duration.ofNanos(1))))) {
            store.be(FailureInjectingStore.Behavior.FAILS);
            quick.check(Map.of("user", "u"));
            assertThat(quick.store().isCircuitOpen()).isTrue();
            store.be(FailureInjectingStore.Behavior.DAMAGED);
            assertThat(quick.check(Map.of("user", "u")).allowed()).isFalse();
            assertThat(quick.store().isCircuitOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"PT10M0.001S, 10m1ms", "PT24H, 1d"})
    void reservation_longerThanTheLongest_isAnError(Duration ttl, String text) {
        Request request = Request.of(Map.of("user", "u"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.reserve(request, ttl))
                .withMessage("ttl is " + text + "; it must be positive and at most 10m (holds.longest-reservation)");
        Hold open = reserve("u");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open.prolong(ttl))
                .withMessageContaining("longest-reservation");
        assertThat(open.prolong(Duration.ofMinutes(10))).isTrue();
    }

    @Test
    void lease_longerThanTheLongest_isAnError() {
        Request request = Request.of(Map.of("user", "u"));
        Duration ttl = Duration.ofMinutes(31);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> weir.acquire(request, ttl))
                .withMessage("ttl is 31m; it must be positive and at most 30m (holds.longest-lease)");
        Hold held = weir.acquire(request, Duration.ofMinutes(30));
        assertThatIllegalArgumentException().isThrownBy(() -> weir.renew(held.id(), ttl));
        assertThat(weir.renew(held.id(), Duration.ofMinutes(30))).isTrue();
    }

    @Test
    void fullException_keepsItsKind_whenTheStoreIsNamed() {
        store.be(FailureInjectingStore.Behavior.DAMAGED);
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                                StoreException.class, () -> weir.status(Map.of("user", "u")))
                        .kind())
                .isEqualTo(StoreException.Kind.DAMAGED);
    }
}
