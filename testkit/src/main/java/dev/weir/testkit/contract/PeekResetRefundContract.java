package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A peek spends nothing, a reset makes the budget full, and a refund gives back what was spent and no more. */
public abstract class PeekResetRefundContract extends ContractPart {
    @Test
    void peek_anyNumberOfTimes_spendsNothing() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 3 * tenth);
            for (int i = 0; i < 50; i++) {
                Decision seen = peek(key, policy, policy.capacity() / 2);
                assertThat(seen.admitted()).isTrue();
                assertThat(seen.reading(0)).isInstanceOf(Reading.Fits.class);
                assertThat(seen.reading(0).remaining()).as("%s", policy).isEqualTo(7 * tenth);
            }
        });
    }

    @Test
    void peek_anUntouchedKey_findsItWhole() {
        for (Policy policy : everyPolicy()) {
            assertWhole(key(policy), policy);
        }
        assertThat(peek(key("slots"), Concurrency.of(3), 2).reading(0)).isEqualTo(new Reading.Fits(3, Duration.ZERO));
        assertThat(peek(key("closed"), Policy.closed(), 1).reading(0))
                .isEqualTo(new Reading.Impossible(0, 0, Duration.ZERO));
    }

    @Test
    void peek_moreThanIsLeft_saysWhatConsumeWouldSay() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 8 * tenth);
            assertThat(peek(key, policy, 3 * tenth).admitted()).isFalse();
            assertThat(peek(key, policy, 3 * tenth).reading(0)).isInstanceOf(Reading.Refused.class);
            assertThat(peek(key, policy, policy.capacity() + 1).reading(0)).isInstanceOf(Reading.Impossible.class);
        });
    }

    @Test
    void reset_ofASpentKey_makesItWhole() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, policy.capacity());
            await(store().reset(List.of(key)));
            assertWhole(key, policy);
            assertAdmitted(consume(key, policy, policy.capacity()), 0);
            assertRefused(consume(key, policy, 1));
        });
    }

    @Test
    void reset_ofSeveralKeys_leavesTheOthers() {
        Policy policy = FixedWindow.of(10, DAY);
        for (String name : List.of("a", "b", "c")) {
            consume(key(name), policy, 6);
        }
        await(store().reset(List.of(key("a"), key("c"), key("unknown"))));
        assertThat(remaining(key("a"), policy)).isEqualTo(10);
        assertThat(remaining(key("b"), policy)).isEqualTo(4);
        assertThat(remaining(key("c"), policy)).isEqualTo(10);
    }

    @Test
    void reset_ofSlots_freesThem() {
        Policy slots = Concurrency.of(2);
        List<Charge> one = List.of(Charge.of(key("s"), slots));
        await(store().acquire("lost", one, MINUTE));
        await(store().acquire("released", one, MINUTE));
        await(store().reset(List.of(key("s"))));
        assertThat(remaining(key("s"), slots)).isEqualTo(2);
        assertThat(await(store().acquire("a", one, MINUTE)).admitted()).isTrue();
        assertThat(await(store().renew("lost", MINUTE)))
                .as("it is not held any more")
                .isFalse();
        await(store().release("released"));
        assertThat(remaining(key("s"), slots))
                .as("what it held before is not what others hold now")
                .isEqualTo(1);
        assertThat(await(store().acquire("b", one, MINUTE)).admitted()).isTrue();
        assertThat(remaining(key("s"), slots)).isZero();
    }

    /** Calls that share a batch with the reset find the slots free, and keep the slots that they acquire. */
    @Test
    void reset_ofSlots_withOthersAtTheSameTime_isInTurn() {
        Policy slots = Concurrency.of(1);
        List<Charge> one = List.of(Charge.of(key("s"), slots));
        List<Answer<Boolean>> resets = new ArrayList<>();
        List<Answer<Decision>> acquired = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            acquired.add(store().acquire("l" + i, one, MINUTE));
            resets.add(store().reset(List.of(key("s"))));
        }
        resets.forEach(ContractPart::await);
        acquired.forEach(ContractPart::await);
        await(store().reset(List.of(key("s"))));
        assertThat(remaining(key("s"), slots)).isEqualTo(1);
        assertThat(await(store().acquire("last", one, MINUTE)).admitted()).isTrue();
        assertThat(remaining(key("s"), slots)).isZero();
    }

    @Test
    void refund_ofAnAdmittedDecision_givesBackWhatItSpent() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 2 * tenth);
            Decision decision = consume(key, policy, 5 * tenth);
            assertThat(await(store().refund(decision))).isTrue();
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(8 * tenth);
            assertAdmitted(consume(key, policy, 8 * tenth), 0);
            assertRefused(consume(key, policy, 1));
        });
    }

    @Test
    void refund_ofAllThatWasSpent_leavesTheBudgetWhole() {
        for (Policy policy : everyPolicy()) {
            Decision decision = consume(key(policy), policy, 4 * tenth(policy));
            await(store().refund(decision));
            assertWhole(key(policy), policy);
        }
    }

    @Test
    void refund_ofSeveralCharges_givesBackToEach() {
        Policy bucket = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        Policy sliding = SlidingWindow.of(10, DAY);
        Decision decision = consume(
                new Charge(key("a"), bucket, 2), new Charge(key("b"), sliding, 3), new Charge(key("a"), bucket, 4));
        await(store().refund(decision));
        assertThat(remaining(key("a"), bucket)).isEqualTo(10);
        assertThat(remaining(key("b"), sliding)).isEqualTo(10);
    }

    /** At most one refund for each decision. */
    @Test
    void refund_ofTheSameDecisionTwice_givesBackOnce() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 5 * tenth);
            Decision decision = consume(key, policy, 2 * tenth);
            assertThat(await(store().refund(decision))).isTrue();
            assertThat(await(store().refund(decision))).as("%s", policy).isFalse();
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(5 * tenth);
        });
    }

    @Test
    void refund_afterAReset_neverLiftsAboveTheCapacity() {
        forEveryPolicy((policy, key, tenth) -> {
            Decision decision = consume(key, policy, 5 * tenth);
            await(store().reset(List.of(key)));
            await(store().refund(decision));
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity());
            assertAdmitted(consume(key, policy, policy.capacity()), 0);
            assertRefused(consume(key, policy, 1));
        });
    }

    /** A reset clears what was spent before it. */
    @Test
    void refund_ofWhatWasSpentBeforeAReset_givesNothingBack() {
        forEveryPolicy((policy, key, tenth) -> {
            Decision before = consume(key, policy, 5 * tenth);
            await(store().reset(List.of(key)));
            Decision between = consume(key, policy, 4 * tenth);
            await(store().reset(List.of(key)));
            Decision after = consume(key, policy, 10 * tenth);
            await(store().refund(before));
            await(store().refund(between));
            assertThat(remaining(key, policy)).as("%s", policy).isZero();
            assertThat(await(store().refund(after))).isTrue();
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity());
        });
    }

    @Test
    void refund_ofOneOfSeveralChargesThatWasReset_givesBackTheOthers() {
        Policy policy = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        Decision decision = consume(new Charge(key("a"), policy, 4), new Charge(key("b"), policy, 4));
        await(store().reset(List.of(key("a"))));
        consume(key("a"), policy, 10);
        consume(key("b"), policy, 6);
        assertThat(await(store().refund(decision))).isTrue();
        assertThat(remaining(key("a"), policy)).isZero();
        assertThat(remaining(key("b"), policy)).isEqualTo(4);
    }

    @Test
    void refund_ofWhatWasNotSpent_givesNothingBack() {
        Policy policy = FixedWindow.of(10, DAY);
        consume(key("a"), policy, 8);
        assertThat(await(store().refund(consume(key("a"), policy, 3)))).isFalse();
        assertThat(await(store().refund(peek(key("a"), policy, 2)))).isFalse();
        assertThat(await(store().refund(consume(key("a"), policy, 11)))).isFalse();
        assertThat(remaining(key("a"), policy)).isEqualTo(2);
    }
}
