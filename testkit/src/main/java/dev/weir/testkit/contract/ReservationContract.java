package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An estimate is reserved, and settled once by the actual cost. */
public abstract class ReservationContract extends ReservationPart {
    @Test
    void reserve_whatFits_spendsTheEstimate() {
        forEveryPolicy((policy, key, tenth) -> {
            Decision decision =
                    await(store().reserve(policy.toString(), List.of(new Charge(key, policy, 4 * tenth)), MINUTE));
            assertAdmitted(decision, 6 * tenth);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(6 * tenth);
        });
    }

    @Test
    void reserve_whatDoesNotFit_spendsNothingAndHoldsNothing() {
        reserve("first", 700);
        assertRefused(reserve("second", 400));
        assertThat(left()).isEqualTo(300);
        assertThat(await(store().cancel("second"))).isEqualTo(Settlement.UNKNOWN);
        assertImpossible(reserve("third", 1_001));
        assertThat(left()).isEqualTo(300);
    }

    @Test
    void reserve_overSeveralLimits_isAllOrNothing() {
        Policy requests = SlidingWindow.of(2, DAY);
        List<Charge> charges =
                List.of(Charge.of(Key.of("requests"), requests), new Charge(Key.of("tokens"), TOKENS, 400));
        assertAdmitted(await(store().reserve("a", charges, MINUTE)), 1, 600);
        assertAdmitted(await(store().reserve("b", charges, MINUTE)), 0, 200);
        assertRefused(await(store().reserve("c", charges, MINUTE)));
        assertThat(left()).isEqualTo(200);
    }

    @Test
    void reserve_againWithTheIdOfAnOpenOne_spendsNothingMore() {
        reserve("same", 400);
        assertThat(reserve("same", 400).admitted()).isTrue();
        assertThat(reserve("same", 999).admitted()).isTrue();
        assertThat(left()).isEqualTo(600);
        assertThat(settle("same", 100)).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void refund_ofAReservationsDecision_closesItAndGivesBackOnce() {
        reserve("other", 500);
        Decision decision = reserve("same", 300);
        assertThat(await(store().refund(decision))).isTrue();
        assertThat(await(store().cancel("same"))).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(settle("same", 900)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(left()).isEqualTo(500);
    }

    @Test
    void refund_afterItWasSettled_givesNothingBack() {
        Decision decision = reserve("same", 300);
        assertThat(settle("same", 200)).isEqualTo(Settlement.DONE);
        assertThat(await(store().refund(decision))).isFalse();
        assertThat(left()).isEqualTo(800);
    }

    @Test
    void settle_lessThanTheEstimate_givesTheRestBack() {
        forEveryPolicy((policy, key, tenth) -> {
            await(store().reserve(policy.toString(), List.of(new Charge(key, policy, 8 * tenth)), MINUTE));
            assertThat(await(store().settle(policy.toString(), Map.of("contract", 3 * tenth))))
                    .isEqualTo(Settlement.DONE);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(7 * tenth);
        });
    }

    @Test
    void settle_moreThanTheEstimate_spendsTheDifference() {
        forEveryPolicy((policy, key, tenth) -> {
            await(store().reserve(policy.toString(), List.of(new Charge(key, policy, 3 * tenth)), MINUTE));
            await(store().settle(policy.toString(), Map.of("contract", 8 * tenth)));
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(2 * tenth);
        });
    }

    @Test
    void settle_nothing_givesAllBack() {
        forEveryPolicy((policy, key, tenth) -> {
            await(store().reserve(policy.toString(), List.of(new Charge(key, policy, tenth)), MINUTE));
            await(store().settle(policy.toString(), Map.of("contract", 0L)));
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity());
        });
    }

    @Test
    void settle_withoutNamingAScope_letsItsEstimateStand() {
        reserve("r", 400);
        assertThat(await(store().settle("r", Map.of()))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void settle_oneOfSeveralScopes_leavesTheOthersEstimates() {
        Key other = Key.of("other");
        await(store().reserve(
                        "r",
                        List.of(new Charge(Key.of("tokens"), TOKENS, 400), new Charge(other, TOKENS, 500)),
                        MINUTE));
        await(store().settle("r", Map.of("other", 100L)));
        assertThat(left()).isEqualTo(600);
        assertThat(remaining(other, TOKENS)).isEqualTo(900);
    }

    @Test
    void settle_aSecondTime_changesNothing() {
        reserve("r", 400);
        assertThat(settle("r", 100)).isEqualTo(Settlement.DONE);
        assertThat(settle("r", 0)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(settle("r", 1_000)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void cancel_givesBackAllAndOnlyOnce() {
        reserve("other", 100);
        reserve("r", 400);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(settle("r", 300)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void settle_unknownId_changesNothing() {
        reserve("r", 400);
        assertThat(settle("nobody's", 0)).isEqualTo(Settlement.UNKNOWN);
        assertThat(await(store().cancel("nobody's"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(left()).isEqualTo(600);
    }

    @Test
    void settle_unknownScope_failsAndChangesNothing() {
        reserve("r", 400);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> await(store().settle("r", Map.of("tokens", 0L, "typo", 5L))))
                .withMessageContaining("typo");
        assertThat(left()).isEqualTo(600);
        assertThat(settle("r", 100)).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(900);
    }

    /** A debt of at most one capacity, which refills pay off first. */
    @Test
    void settle_moreThanThereIs_leavesADebtOfAtMostOneCapacity() {
        forEveryPolicy((policy, key, tenth) -> {
            await(store().reserve("a" + policy, List.of(new Charge(key, policy, tenth)), MINUTE));
            await(store().settle("a" + policy, Map.of("contract", 15 * tenth)));
            assertThat(remaining(key, policy)).as("%s", policy).isZero();
            assertRefused(consume(key, policy, 1));
        });
    }

    @Test
    void prolong_anOpenOne_leavesItsDecisionAsItWas() {
        Decision decision = reserve("r", 400);
        assertThat(prolong("r", MINUTE)).isTrue();
        assertThat(reserve("r", 400).admitted()).isTrue();
        assertThat(left()).isEqualTo(600);
        assertThat(await(store().refund(decision))).isTrue();
        assertThat(left()).isEqualTo(1_000);
        assertThat(prolong("r", MINUTE)).isFalse();
    }

    @Test
    void prolong_unknownIdOrALeases_isFalse() {
        await(store().acquire("l", List.of(Charge.of(Key.of("slots"), Concurrency.of(1))), MINUTE));
        assertThat(prolong("l", MINUTE)).isFalse();
        assertThat(prolong("nobody's", MINUTE)).isFalse();
        reserve("r", 400);
        assertThat(await(store().renew("r", MINUTE))).isFalse();
    }

    /** A reset clears what was spent before it, including reserved units. */
    @Test
    void cancel_ofWhatWasReservedBeforeAReset_givesNothingBack() {
        forEveryPolicy((policy, key, tenth) -> {
            await(store().reserve("c" + policy, List.of(new Charge(key, policy, 5 * tenth)), MINUTE));
            await(store().reserve("s" + policy, List.of(new Charge(key, policy, 5 * tenth)), MINUTE));
            await(store().reset(List.of(key)));
            await(store().reserve("a" + policy, List.of(new Charge(key, policy, 10 * tenth)), MINUTE));
            assertThat(await(store().cancel("c" + policy))).isEqualTo(Settlement.DONE);
            assertThat(await(store().settle("s" + policy, Map.of("contract", tenth))))
                    .isEqualTo(Settlement.DONE);
            assertThat(remaining(key, policy)).as("%s", policy).isZero();
            assertThat(await(store().settle("a" + policy, Map.of("contract", 4 * tenth))))
                    .isEqualTo(Settlement.DONE);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(6 * tenth);
        });
    }

    @Test
    void settle_moreThanWasReservedBeforeAReset_spendsTheDifference() {
        reserve("r", 400);
        await(store().reset(List.of(Key.of("tokens"))));
        assertThat(settle("r", 500)).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(900);
    }

    @Test
    void reserve_againWithTheSameKeys_answersWhatTheFirstAnswered() {
        Policy requests = SlidingWindow.of(10, DAY);
        List<Charge> charges = List.of(
                new Charge(Key.of("tokens"), TOKENS, 100),
                new Charge(Key.of("requests"), requests, 1),
                new Charge(Key.of("tokens"), TOKENS, 200));
        Decision first = await(store().reserve("r", charges, MINUTE));
        assertAdmitted(first, 900, 9, 700);
        consume(Key.of("tokens"), TOKENS, 50);
        assertThat(await(store().reserve("r", charges, MINUTE)).readings()).isEqualTo(first.readings());
        List<Charge> others = List.of(
                new Charge(Key.of("tokens"), LARGER, 800),
                new Charge(Key.of("requests"), requests, 2),
                new Charge(Key.of("tokens"), LARGER, 900));
        assertThat(await(store().reserve("r", others, MINUTE)).readings()).isEqualTo(first.readings());
        assertThat(left()).isEqualTo(650);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(950);
    }

    @Test
    void reserve_againWithOtherKeys_failsAndChangesNothing() {
        reserve("r", 400);
        Charge same = new Charge(Key.of("tokens"), TOKENS, 400);
        Charge other = new Charge(Key.of("requests"), TOKENS, 1);
        for (List<Charge> charges : List.of(List.of(other), List.of(same, other), List.of(same, same))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> await(store().reserve("r", charges, MINUTE)))
                    .withMessageContaining("'r'");
        }
        assertThat(left()).isEqualTo(600);
        assertThat(remaining(Key.of("requests"), TOKENS)).isEqualTo(1_000);
        assertThat(reserve("r", 400).admitted()).isTrue();
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo(1_000);
    }
}
