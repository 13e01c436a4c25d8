package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Settlement;
import dev.weir.engine.plan.HoldId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HoldsTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    private final PresetEngine engine = PresetEngine.yaml("""
            limits:
              - { name: requests, per: [user], rate: 10/min }
              - { name: tokens, per: [user], rate: 100/day, algorithm: fixed-window, cost: tokens }
              - { name: tokens_try, per: [user], rate: 50/day, cost: tokens, shadow: true }
              - { name: slots, per: [user], rate: 2, algorithm: concurrency }
              - { name: slots_try, per: [user], rate: 1, algorithm: concurrency, shadow: true }
            exempt: { user: [boss] }
            """);

    private Hold reserve(String user, long tokens) {
        return engine.weir.reserve(
                new Request(Map.of("user", user), 1, Map.of("tokens", tokens, "tokens_try", tokens)), TTL);
    }

    private long tokensLeft(String user) {
        return engine.weir.status(attributes("user", user)).stream()
                .filter(result -> result.name().equals("tokens"))
                .findFirst()
                .orElseThrow()
                .remaining();
    }

    @Test
    void reserve_settle_replacesTheEstimateOnce() {
        Hold held = reserve("u", 60);
        assertThat(held.granted()).isTrue();
        assertThat(held.ttl()).isEqualTo(TTL);
        assertThat(tokensLeft("u")).isEqualTo(40);
        assertThat(reserve("u", 50).granted()).isFalse();
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 10L))).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("u")).isEqualTo(90);
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 10L))).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(engine.weir.cancel(held.id())).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(tokensLeft("u")).isEqualTo(90);
    }

    @Test
    void settle_moreThanTheEstimate_goesIntoDebt() {
        Hold held = reserve("u", 60);
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 150L))).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("u")).isZero();
        assertThat(reserve("u", 1).outcome().reason()).isEqualTo(Reason.LIMITED);
    }

    @Test
    void settle_nothingNamed_theEstimateStands() {
        Hold held = reserve("u", 60);
        assertThat(engine.weir.settle(held.id(), Map.of())).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("u")).isEqualTo(40);
    }

    @Test
    void cancel_givesAllBackOnce() {
        Hold held = reserve("u", 60);
        assertThat(engine.weir.cancel(held.id())).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("u")).isEqualTo(100);
        assertThat(engine.weir.cancel(held.id())).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(tokensLeft("u")).isEqualTo(100);
    }

    @Test
    void reserve_unsettled_expiresAndTheEstimateStands() {
        Hold held = reserve("u", 60);
        engine.clock.advance(TTL);
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 1L))).isEqualTo(Settlement.UNKNOWN);
        assertThat(tokensLeft("u")).isEqualTo(40);
    }

    @Test
    void prolong_anOpenReservation_canBeSettledLater() {
        Hold held = reserve("u", 60);
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(engine.weir.prolong(held.id(), TTL)).isTrue();
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(held.prolong(TTL)).isTrue();
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 10L))).isEqualTo(Settlement.DONE);
        assertThat(tokensLeft("u")).isEqualTo(90);
        assertThat(engine.weir.prolong(held.id(), TTL)).isFalse();
        assertThat(held.prolong(TTL)).isFalse();
    }

    @Test
    void prolong_ofALease_isRenewing() {
        Hold lease = engine.weir.acquire(Request.of(Map.of("user", "u")), TTL);
        assertThat(engine.weir.prolong(lease.id(), TTL))
                .as("a lease's id is no reservation's")
                .isFalse();
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(lease.prolong(TTL)).isTrue();
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(engine.weir.release(lease.id())).isTrue();
        assertThat(lease.prolong(TTL)).isFalse();
    }

    @Test
    void settle_ofALease_isRefused_andClosingStillReleasesIt() {
        Request request = Request.of(Map.of("user", "u"));
        Hold lease = engine.weir.acquire(request, TTL);
        assertThatThrownBy(() -> lease.settle(Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lease");
        lease.close();
        assertThat(engine.weir.release(lease.id())).as("released by closing").isFalse();
    }

    @Test
    void prolong_whatWasRefusedOrHoldsNothing() {
        reserve("u", 60);
        assertThat(reserve("u", 60).prolong(TTL)).isFalse();
        assertThat(reserve("boss", 60).prolong(TTL)).isTrue();
    }

    @Test
    void close_aReservation_cancelsWhatWasNotSettled() {
        try (Hold held = reserve("u", 60)) {
            assertThat(tokensLeft("u")).isEqualTo(40);
        }
        assertThat(tokensLeft("u")).isEqualTo(100);
    }

    @Test
    void close_aReservationThatWasSettled_changesNothing() {
        try (Hold held = reserve("u", 60)) {
            assertThat(held.settle(Map.of("tokens", 10L))).isEqualTo(Settlement.DONE);
        }
        assertThat(tokensLeft("u")).isEqualTo(90);
        try (Hold held = reserve("u", 60)) {
            assertThat(engine.weir.settle(held.id(), Map.of("tokens", 20L))).isEqualTo(Settlement.DONE);
        }
        assertThat(tokensLeft("u")).isEqualTo(70);
    }

    @Test
    void close_whateverHasEnded_isHarmless() {
        Hold expired = reserve("u", 60);
        Hold cancelled = reserve("v", 60);
        engine.clock.advance(TTL);
        engine.weir.cancel(cancelled.id());
        Hold lease = engine.weir.acquire(Request.of(Map.of("user", "u")), TTL);
        engine.weir.release(lease.id());
        for (Hold hold : List.of(expired, cancelled, lease, reserve("u", 60), reserve("boss", 1))) {
            hold.close();
            hold.close();
        }
        assertThat(tokensLeft("u")).as("the expired estimate stands").isEqualTo(40);
    }

    @Test
    void close_twice_givesBackOnce() {
        Hold first = reserve("u", 60);
        Hold second = reserve("u", 30);
        first.close();
        first.close();
        assertThat(tokensLeft("u")).isEqualTo(70);
        second.close();
        assertThat(tokensLeft("u")).isEqualTo(100);
    }

    @Test
    void close_aLease_releasesIt() {
        Request request = Request.of(Map.of("user", "u"));
        for (int i = 0; i < 5; i++) {
            try (Hold first = engine.weir.acquire(request, TTL);
                    Hold second = engine.weir.acquire(request, TTL);
                    Hold third = engine.weir.acquire(request, TTL)) {
                assertThat(List.of(first.granted(), second.granted(), third.granted()))
                        .containsExactly(true, true, false);
            }
        }
    }

    @Test
    void reserve_oneExempt_hasAnIdThatCanBeSettled() {
        Hold held = reserve("boss", 1_000_000);
        assertThat(held.granted()).isTrue();
        assertThat(held.outcome().isUntouched()).isTrue();
        assertThat(engine.weir.settle(held.id(), Map.of("tokens", 5L))).isEqualTo(Settlement.DONE);
        assertThat(engine.weir.cancel(held.id())).isEqualTo(Settlement.DONE);
    }

    @Test
    void reserve_shadow_reportsWithoutRefusing() {
        Hold held = reserve("u", 60);
        assertThat(held.granted()).isTrue();
        assertThat(held.outcome().limits())
                .filteredOn(LimitResult::shadow)
                .extracting(LimitResult::allowed)
                .containsExactly(false);
    }

    @Test
    void acquire_asManyAsThereAreSlots() {
        Request request = Request.of(Map.of("user", "u"));
        Hold first = engine.weir.acquire(request, TTL);
        Hold second = engine.weir.acquire(request, TTL);
        Hold third = engine.weir.acquire(request, TTL);
        assertThat(List.of(first.granted(), second.granted(), third.granted())).containsExactly(true, true, false);
        assertThat(third.outcome().decisive().name()).isEqualTo("slots");
        assertThat(second.outcome().limits())
                .filteredOn(LimitResult::shadow)
                .extracting(LimitResult::allowed)
                .containsExactly(false);
        assertThat(engine.weir.release(first.id())).isTrue();
        assertThat(engine.weir.release(first.id()))
                .as("once more harms nothing")
                .isFalse();
        Hold again = engine.weir.acquire(request, TTL);
        assertThat(again.granted()).isTrue();
        assertThat(again.outcome().limits())
                .as("the shadow slot of the first is free, too")
                .filteredOn(LimitResult::shadow)
                .extracting(LimitResult::allowed)
                .containsExactly(true);
    }

    @Test
    void lease_notRenewed_freesItself() {
        Request request = Request.of(Map.of("user", "u"));
        Hold kept = engine.weir.acquire(request, TTL);
        Hold lost = engine.weir.acquire(request, TTL);
        engine.clock.advance(TTL.minusSeconds(1));
        assertThat(engine.weir.renew(kept.id(), TTL)).isTrue();
        engine.clock.advance(Duration.ofSeconds(2));
        assertThat(engine.weir.renew(lost.id(), TTL)).isFalse();
        assertThat(engine.weir.acquire(request, TTL).granted()).isTrue();
        assertThat(engine.weir.acquire(request, TTL).granted()).isFalse();
    }

    @Test
    void lease_spendsNoRequestAndAChecktakesNoSlot() {
        Request request = Request.of(Map.of("user", "u"));
        engine.weir.acquire(request, TTL);
        assertThat(engine.check("user", "u").decisive().remaining()).isEqualTo(9);
        assertThat(engine.check("user", "u").limits())
                .extracting(LimitResult::name)
                .containsExactly("requests");
    }

    @Test
    void ids_areNeverEqualAndNeverOthers() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String id = HoldId.create(i % 2 == 0, i % 3).text();
            assertThat(ids.add(id)).isTrue();
            HoldId parsed = HoldId.parse(id);
            assertThat(parsed.text()).isEqualTo(id);
            assertThat(parsed.holdsSomething()).isEqualTo(i % 2 == 0);
            assertThat(parsed.shadows()).isEqualTo(i % 3);
        }
        String good = HoldId.create(true, 0).text();
        for (String hostile : List.of(
                "",
                "h",
                good + "0",
                good + ".1",
                good + ".1x",
                good + ".-1",
                good.toUpperCase(java.util.Locale.ROOT),
                "x" + good.substring(1),
                good.replace(good.charAt(5), 'g'),
                good + "\n",
                "h" + "é".repeat(32))) {
            assertThat(engine.weir.settle(hostile, Map.of())).as(hostile).isEqualTo(Settlement.UNKNOWN);
            assertThat(engine.weir.cancel(hostile)).as(hostile).isEqualTo(Settlement.UNKNOWN);
            assertThat(engine.weir.prolong(hostile, TTL)).as(hostile).isFalse();
            assertThat(engine.weir.renew(hostile, TTL)).as(hostile).isFalse();
            assertThat(engine.weir.release(hostile)).as(hostile).isFalse();
        }
        assertThat(engine.weir.settle(good, Map.of())).as("never given").isEqualTo(Settlement.UNKNOWN);
    }

    @Test
    void ttl_isChecked() {
        Request request = Request.of(Map.of("user", "u"));
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(8))) {
            assertThatIllegalArgumentException().isThrownBy(() -> engine.weir.reserve(request, wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> engine.weir.acquire(request, wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> engine.weir.prolong("h", wrong));
        }
        assertThat(tokensLeft("u")).isEqualTo(100);
    }
}
