package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.DurationText;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.Ability;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Clock steps and eviction: a clock that steps back or far forward, or an evicted entry, neither grants extra units nor
 * locks callers out.
 */
public abstract class ClockStepsContract extends ContractPart {
    private static final Duration HOUR = Duration.ofHours(1);

    private static final List<Policy> POLICIES = policies(
            TokenBucket.perMinute(60),
            TokenBucket.perMinute(7),
            TokenBucket.of(999_983, 999_983, DAY),
            FixedWindow.of(60, MINUTE),
            FixedWindow.of(1_000_000_000_000L, DAY),
            SlidingWindow.of(60, MINUTE),
            SlidingWindow.of(1_000, MINUTE));

    /** A clock that steps back never removes tokens or yields a negative wait. */
    @Test
    void consume_afterAStepBack_hasLostNothingAndGainedNothing() {
        needs(Ability.CLOCK_STEPS_BACK);
        for (Duration step : List.of(Duration.ofMillis(1), Duration.ofSeconds(30), HOUR, Duration.ofDays(3_650))) {
            for (Policy policy : held(POLICIES)) {
                Key key = Key.of("contract", policy.toString(), DurationText.of(step));
                consume(key, policy, policy.capacity() - 2);
                trial().stepBack(step);
                assertAdmitted(consume(key, policy, 2), 0);
                Reading.Refused refused = assertRefused(consume(key, policy, 1));
                assertThat(refused.retryAfter()).as("%s", policy).isPositive();
                assertThat(refused.resetAfter()).as("%s", policy).isLessThanOrEqualTo(longest(policy));
            }
        }
    }

    /** Units spent while the clock was ahead come back within the policy's own time. */
    @Test
    void consume_afterAJumpAheadAndBack_isNotLockedOut() {
        needs(Ability.CLOCK_STEPS_BACK);
        for (Policy policy : held(POLICIES)) {
            Key key = key(policy);
            advance(Duration.ofDays(2 * 365));
            consume(key, policy, policy.capacity());
            trial().stepBack(Duration.ofDays(2 * 365));
            assertRefused(consume(key, policy, 1));
            advance(longest(policy));
            assertAdmitted(consume(key, policy, policy.capacity()), 0);
        }
    }

    @Test
    void consume_farAhead_findsAllWhole() {
        for (Policy policy : held(POLICIES)) {
            consume(key(policy), policy, policy.capacity());
        }
        advance(Duration.ofDays(20 * 365));
        for (Policy policy : held(POLICIES)) {
            assertWhole(key(policy), policy);
            assertAdmitted(consume(key(policy), policy, policy.capacity()), 0);
            assertRefused(consume(key(policy), policy, 1));
        }
    }

    @Test
    void lease_afterAStepBack_endsWithinItsTime() {
        needs(Ability.CLOCK_STEPS_BACK);
        Policy slots = Concurrency.of(2);
        await(store().acquire("a", List.of(Charge.of(key("s"), slots)), MINUTE));
        trial().stepBack(HOUR);
        assertThat(remaining(key("s"), slots)).isEqualTo(1);
        advance(MINUTE);
        assertThat(remaining(key("s"), slots)).isEqualTo(2);
    }

    @Test
    void reservation_afterAStepBack_canBeSettledAndExpires() {
        needs(Ability.CLOCK_STEPS_BACK);
        Policy policy = FixedWindow.of(100, DAY);
        await(store().reserve("settled", List.of(new Charge(key("a"), policy, 30)), MINUTE));
        await(store().reserve("expired", List.of(new Charge(key("a"), policy, 30)), MINUTE));
        trial().stepBack(HOUR);
        assertThat(await(store().settle("settled", Map.of("contract", 10L)))).isEqualTo(Settlement.DONE);
        assertThat(remaining(key("a"), policy)).isEqualTo(60);
        advance(MINUTE);
        assertThat(await(store().cancel("expired"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(remaining(key("a"), policy)).isEqualTo(60);
    }

    /** An evicted full budget is indistinguishable from a kept one, and no other budget is evicted. */
    @Test
    void sweep_atAnyTime_changesNoAnswer() {
        needs(Ability.SWEEP);
        for (Policy policy : held(POLICIES)) {
            Key swept = key(policy);
            Key beside = Key.of("beside", policy.toString());
            consume(swept, policy, policy.capacity() - 1);
            consume(beside, policy, 1);
            trial().sweep();
            assertThat(remaining(swept, policy)).as("%s", policy).isEqualTo(1);
            Duration reset = peek(swept, policy, 1).reading(0).resetAfter();
            advance(reset.minus(tick(policy)));
            Reading before = peek(swept, policy, 1).reading(0);
            trial().sweep();
            assertThat(peek(swept, policy, 1).reading(0)).as("%s", policy).isEqualTo(before);
            advance(tick(policy));
            trial().sweep();
            assertWhole(swept, policy);
            assertAdmitted(consume(swept, policy, policy.capacity()), 0);
        }
    }

    @Test
    void sweep_amongManyKeys_losesNoCount() {
        needs(Ability.SWEEP);
        Policy policy = FixedWindow.of(10, MINUTE);
        for (int i = 0; i < 500; i++) {
            consume(key("early " + i), policy, 1 + i % 10);
        }
        advance(Duration.ofSeconds(30));
        for (int i = 0; i < 500; i++) {
            consume(key("late " + i), policy, 1 + i % 10);
            if (i % 100 == 0) {
                trial().sweep();
            }
        }
        advance(Duration.ofSeconds(30));
        trial().sweep();
        for (int i = 0; i < 500; i++) {
            assertThat(remaining(key("early " + i), policy)).isEqualTo(10);
            assertThat(remaining(key("late " + i), policy)).isEqualTo(9 - i % 10);
        }
    }

    @Test
    void sweep_withLeasesAndReservations_keepsWhatIsHeld() {
        needs(Ability.SWEEP);
        Policy slots = Concurrency.of(2);
        Policy policy = FixedWindow.of(100, DAY);
        await(store().acquire("l", List.of(Charge.of(key("s"), slots)), MINUTE));
        await(store().reserve("r", List.of(new Charge(key("a"), policy, 30)), MINUTE));
        trial().sweep();
        assertThat(remaining(key("s"), slots)).isEqualTo(1);
        assertThat(await(store().renew("l", MINUTE))).isTrue();
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
        trial().sweep();
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(remaining(key("a"), policy)).isEqualTo(100);
    }

    /** Upper bound on the time in which a spent budget becomes full again. */
    private static Duration longest(Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            return bucket.period();
        }
        return policy instanceof SlidingWindow window
                ? window.period().plus(window.earlyRefusal())
                : ((FixedWindow) policy).period();
    }
}
