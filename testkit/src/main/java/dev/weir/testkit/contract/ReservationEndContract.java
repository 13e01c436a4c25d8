package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reservations as time passes: before they expire, after they were settled, and when they are prolonged. */
public abstract class ReservationEndContract extends ReservationPart {
    @Test
    void settle_hugeCost_isPaidOffAfterTwoCapacities() {
        Policy policy = TokenBucket.of(10, 1, Duration.ofSeconds(1));
        await(store().reserve("r", List.of(new Charge(Key.of("tokens"), policy, 1)), MINUTE));
        await(store().settle("r", Map.of("tokens", Policy.MAX_COUNT)));
        assertThat(assertRefused(peek(Key.of("tokens"), policy, 1))).satisfies(refused -> {
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(11));
            assertThat(refused.resetAfter()).isEqualTo(Duration.ofSeconds(20));
        });
        advance(Duration.ofSeconds(11).minus(tick(policy)));
        assertRefused(consume(Key.of("tokens"), policy, 1));
        advance(tick(policy));
        assertAdmitted(consume(Key.of("tokens"), policy, 1), 0);
    }

    @Test
    void settle_afterItExpired_isTooLateAndTheEstimateStands() {
        reserve("r", 400);
        advance(MINUTE);
        assertThat(settle("r", 0)).isEqualTo(Settlement.UNKNOWN);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void settle_justBeforeItExpires_isInTime() {
        reserve("r", 400);
        advance(MINUTE.minusMillis(1));
        assertThat(settle("r", 0)).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(1_000);
    }

    @Test
    void settle_aClosedOne_isRecognisedForAMinuteAndThenUnknown() {
        await(store().reserve("r", List.of(new Charge(Key.of("tokens"), TOKENS, 400)), Duration.ofHours(1)));
        assertThat(settle("r", 100)).isEqualTo(Settlement.DONE);
        advance(Store.CLOSED_TTL.minusMillis(1));
        assertThat(settle("r", 0)).isEqualTo(Settlement.ALREADY_CLOSED);
        advance(Duration.ofMillis(1));
        assertThat(settle("r", 0)).isEqualTo(Settlement.UNKNOWN);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void reserve_withTheIdOfAnExpiredOne_isANewReservation() {
        reserve("r", 400);
        advance(MINUTE);
        assertAdmitted(reserve("r", 300), 300);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void prolong_anOpenOne_canBeSettledLater() {
        reserve("r", 400);
        advance(MINUTE.minusMillis(1));
        assertThat(prolong("r", MINUTE)).isTrue();
        advance(MINUTE.minusMillis(1));
        assertThat(prolong("r", MINUTE)).isTrue();
        assertThat(left()).isEqualTo(600);
        advance(MINUTE.minusMillis(1));
        assertThat(settle("r", 100)).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void prolong_anOpenOne_endsWhenTheNewTimeIsUp() {
        reserve("r", 400);
        advance(MINUTE.minusMillis(1));
        assertThat(prolong("r", MINUTE)).isTrue();
        advance(MINUTE);
        assertThat(settle("r", 0)).isEqualTo(Settlement.UNKNOWN);
        assertThat(prolong("r", MINUTE)).isFalse();
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void prolong_byLessThanIsLeft_endsEarlier() {
        reserve("r", 400);
        assertThat(prolong("r", Duration.ofSeconds(1))).isTrue();
        advance(Duration.ofSeconds(1));
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void prolong_afterItExpired_isFalseAndTheEstimateStands() {
        reserve("r", 400);
        advance(MINUTE);
        assertThat(prolong("r", MINUTE)).isFalse();
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
        assertAdmitted(reserve("r", 300), 300);
    }

    /** The id stays taken for as long as before, and no longer. */
    @Test
    void prolong_aClosedOne_isFalseAndChangesNothing() {
        reserve("r", 400);
        settle("r", 100);
        assertThat(prolong("r", Duration.ofMillis(1))).isFalse();
        advance(Duration.ofMillis(1));
        assertThat(settle("r", 0)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(prolong("r", Duration.ofHours(1))).isFalse();
        advance(MINUTE.minusMillis(1));
        assertThat(settle("r", 0)).isEqualTo(Settlement.UNKNOWN);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void prolong_overSeveralLimits_keepsThemAll() {
        List<Key> keys = List.of(Key.of("tokens"), Key.of("second"), Key.of("third"));
        await(store().reserve(
                        "r",
                        keys.stream().map(key -> new Charge(key, TOKENS, 400)).toList(),
                        MINUTE));
        assertThat(prolong("r", Duration.ofHours(2))).isTrue();
        advance(Duration.ofHours(1));
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        keys.forEach(key -> assertThat(remaining(key, TOKENS)).isEqualTo(1_000));
    }

    /** Units return only to the window in which they were spent. */
    @Test
    void cancel_afterTheWindowEnded_givesNothingToTheNext() {
        for (Policy policy : policies(FixedWindow.of(10, MINUTE), SlidingWindow.of(10, MINUTE))) {
            Key key = key(policy);
            await(store().reserve("r" + policy, List.of(new Charge(key, policy, 6)), Duration.ofHours(1)));
            advance(MINUTE);
            consume(key, policy, 5);
            assertThat(await(store().cancel("r" + policy))).isEqualTo(Settlement.DONE);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(5);
        }
    }

    @Test
    void refund_afterItExpired_isTooLateAndTheEstimateStands() {
        Decision decision = reserve("r", 400);
        advance(MINUTE);
        assertThat(await(store().refund(decision))).isFalse();
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void refund_afterItsIdIsAnotherReservations_leavesThatOpen() {
        Decision decision = reserve("r", 400);
        advance(MINUTE);
        reserve("r", 300);
        assertThat(await(store().refund(decision))).isFalse();
        assertThat(left()).isEqualTo(300);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void refund_ofOneThatWasProlonged_isInTime() {
        Decision decision = reserve("r", 400);
        assertThat(prolong("r", Duration.ofHours(1))).isTrue();
        advance(MINUTE);
        assertThat(await(store().refund(decision))).isTrue();
        assertThat(left()).isEqualTo(1_000);
        assertThat(await(store().refund(decision))).isFalse();
    }
}
