package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.testkit.Ability;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Refills as time passes: exact to the tick, and never a tick early. */
public abstract class PassingTimeContract extends ContractPart {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Awkward rates, and short and long periods. */
    private static final List<Policy> POLICIES = policies(
            TokenBucket.perMinute(60),
            TokenBucket.perMinute(7),
            TokenBucket.perSecond(3),
            TokenBucket.of(10, 1, Duration.ofMillis(1)),
            TokenBucket.of(999_983, 999_983, DAY),
            TokenBucket.of(1_000_000_000_000L, 1_000_000_000_000L, DAY),
            FixedWindow.of(10, Duration.ofMillis(1)),
            FixedWindow.of(500, Duration.ofHours(1)),
            FixedWindow.of(1_000_000_000_000L, Duration.ofDays(365)),
            SlidingWindow.of(10, Duration.ofMillis(1)),
            SlidingWindow.of(10, MINUTE),
            SlidingWindow.of(501, MINUTE),
            SlidingWindow.of(1_000_000_000_000L, Duration.ofDays(365)));

    @Test
    void refused_afterRetryAfter_fitsAndNotOneTickBefore() {
        for (Policy policy : held(POLICIES)) {
            Key key = key(policy);
            consume(key, policy, policy.capacity());
            for (long cost : new long[] {1, Math.max(1, policy.capacity() / 3), policy.capacity()}) {
                Reading.Refused refused = assertRefused(consume(key, policy, cost));
                advance(refused.retryAfter().minus(tick(policy)));
                assertThat(assertRefused(consume(key, policy, cost)).retryAfter())
                        .as("%s", policy)
                        .isEqualTo(tick(policy));
                advance(tick(policy));
                assertThat(consume(key, policy, cost).admitted())
                        .as("%s, cost %s", policy, cost)
                        .isTrue();
                consume(key, policy, Math.max(1, remaining(key, policy)));
            }
        }
    }

    @Test
    void spent_afterResetAfter_isWholeAndNotOneTickBefore() {
        for (Policy policy : held(POLICIES)) {
            Key key = key(policy);
            Duration reset =
                    consume(key, policy, (policy.capacity() + 1) / 2).reading(0).resetAfter();
            assertThat(reset).as("%s", policy).isPositive();
            advance(reset.minus(tick(policy)));
            Reading almost = peek(key, policy, 1).reading(0);
            assertThat(almost.resetAfter()).as("%s", policy).isEqualTo(tick(policy));
            advance(tick(policy));
            assertWhole(key, policy);
        }
    }

    @Test
    void bucket_asTimePasses_givesBackExactlyTheFloorOfElapsedTimesRate() {
        Policy policy = TokenBucket.of(1_000, 7, MINUTE);
        consume(key("a"), policy, 1_000);
        long elapsedMillis = 0;
        for (int i = 1; i <= 200; i++) {
            advance(Duration.ofMillis(i));
            elapsedMillis += i;
            assertThat(remaining(key("a"), policy)).isEqualTo(elapsedMillis * 7 / 60_000);
        }
    }

    /** The fraction of a token that has accrued is never lost, neither by a peek nor by a refused charge. */
    @Test
    void consume_polledAThousandTimesPerInterval_neitherStarvesNorGains() {
        Policy policy = TokenBucket.of(2, 7, MINUTE);
        consume(key("a"), policy, 2);
        Duration step = Duration.ofNanos(8_571_000);
        long admitted = 0;
        int polls = 20_000 / contract().thinning();
        for (int i = 1; i <= polls; i++) {
            advance(step);
            admitted += consume(key("a"), policy, 1).admitted() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(polls * step.toNanos() * 7 / MINUTE.toNanos());
    }

    @Test
    void bucket_idleForAges_holdsNoMoreThanItsCapacity() {
        Policy policy = TokenBucket.perMinute(7);
        consume(key("a"), policy, 3);
        advance(Duration.ofDays(10 * 365));
        assertAdmitted(consume(key("a"), policy, 7), 0);
        assertRefused(consume(key("a"), policy, 1));
    }

    /** The whole quota returns at once when the period has passed since the window began. */
    @Test
    void fixedWindow_beginsWithItsFirstCharge_andReturnsWhole() {
        Policy policy = FixedWindow.of(5, MINUTE);
        advance(Duration.ofSeconds(17));
        consume(key("a"), policy, 2);
        advance(Duration.ofSeconds(50));
        assertThat(consume(key("a"), policy, 3).reading(0)).isEqualTo(new Reading.Admitted(0, Duration.ofSeconds(10)));
        advance(Duration.ofSeconds(10));
        assertThat(remaining(key("a"), policy)).isEqualTo(5);
        advance(Duration.ofSeconds(33));
        assertThat(consume(key("a"), policy, 1).reading(0)).isEqualTo(new Reading.Admitted(4, MINUTE));
    }

    @Test
    void fixedWindow_refundedToTheLast_hasNotBegun() {
        Policy policy = FixedWindow.of(5, MINUTE);
        Decision first = consume(key("a"), policy, 2);
        advance(Duration.ofSeconds(30));
        await(store().refund(first));
        assertThat(consume(key("a"), policy, 1).reading(0)).isEqualTo(new Reading.Admitted(4, MINUTE));
    }

    /** At no instant do more than N charges lie within any window of the given length. */
    @Test
    void slidingWindow_eachChargeLeavesByItself() {
        Policy policy = SlidingWindow.of(3, MINUTE);
        for (int i = 0; i < 3; i++) {
            consume(key("a"), policy, 1);
            advance(Duration.ofSeconds(10));
        }
        assertThat(peek(key("a"), policy, 1).reading(0))
                .isEqualTo(new Reading.Refused(0, Duration.ofSeconds(30), Duration.ofSeconds(50)));
        assertThat(assertRefused(peek(key("a"), policy, 2)).retryAfter()).isEqualTo(Duration.ofSeconds(40));
        advance(Duration.ofSeconds(30));
        assertAdmitted(consume(key("a"), policy, 1), 0);
        advance(Duration.ofSeconds(10));
        assertAdmitted(consume(key("a"), policy, 1), 0);
        assertRefused(consume(key("a"), policy, 1));
    }

    @Test
    void slidingWindow_inSegments_refusesNoLongerThanItSays() {
        SlidingWindow policy = SlidingWindow.of(1_000, MINUTE);
        advance(Duration.ofMillis(12_345));
        consume(key("a"), policy, 1_000);
        Duration wait = assertRefused(consume(key("a"), policy, 1)).retryAfter();
        assertThat(wait).isGreaterThanOrEqualTo(MINUTE).isLessThan(MINUTE.plus(policy.earlyRefusal()));
    }

    @Test
    void slidingWindow_inAnyStretchOfItsLength_admitsAtMostItsLimit() {
        for (long limit : new long[] {7, 500, 501, 1_000}) {
            Policy policy = SlidingWindow.of(limit, SECOND);
            long[] spent = new long[400];
            for (int i = 0; i < spent.length; i++) {
                long cost = 1 + (i * 7_919L) % Math.max(1, limit / 3);
                spent[i] = consume(key(policy), policy, cost).admitted() ? cost : 0;
                long lastSecond = 0;
                for (int j = Math.max(0, i - 99); j <= i; j++) {
                    lastSecond += spent[j];
                }
                assertThat(lastSecond).as("limit %s, step %s", limit, i).isLessThanOrEqualTo(limit);
                advance(Duration.ofMillis(10));
            }
        }
    }

    /**
     * The bucket fills from the start, used or not: a key that is first used later finds as much as an idle key holds.
     */
    @Test
    void bucket_withAnInitialFill_fillsFromWhenTheStoreFirstMetThePolicy() {
        Policy policy = TokenBucket.of(10, 1, SECOND).withInitial(2);
        advance(MINUTE);
        assertThat(peek(key("first"), policy, 1).reading(0)).isEqualTo(new Reading.Fits(2, Duration.ofSeconds(8)));
        assertAdmitted(consume(key("first"), policy, 2), 0);
        assertRefused(consume(key("first"), policy, 1));
        advance(Duration.ofSeconds(3));
        assertThat(remaining(key("first"), policy)).isEqualTo(3);
        assertThat(remaining(key("second"), policy)).isEqualTo(5);
        advance(Duration.ofSeconds(60));
        assertThat(peek(key("third"), policy, 1).reading(0)).isEqualTo(new Reading.Fits(10, Duration.ZERO));
        assertThat(remaining(key("first"), policy)).isEqualTo(10);
    }

    @Test
    void bucket_withAnInitialFillAndReset_isLikeAnIdleOne() {
        Policy policy = TokenBucket.of(10, 1, SECOND).withInitial(4);
        Decision decision = consume(key("a"), policy, 3);
        advance(SECOND);
        await(store().reset(List.of(key("a"))));
        assertThat(remaining(key("a"), policy)).isEqualTo(5).isEqualTo(remaining(key("idle"), policy));
        // A refund of units that a reset has cleared gives nothing back.
        await(store().refund(decision));
        assertThat(remaining(key("a"), policy)).isEqualTo(5);
    }

    @Test
    void refund_afterItsWindowEnded_givesNothingToTheNext() {
        for (Policy policy : policies(FixedWindow.of(10, MINUTE), SlidingWindow.of(10, MINUTE))) {
            Key key = key(policy);
            Decision old = consume(key, policy, 6);
            advance(MINUTE);
            consume(key, policy, 5);
            await(store().refund(old));
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(5);
        }
    }

    @Test
    void refund_ofTokensThatHaveComeBack_neverLiftsAboveTheCapacity() {
        Policy policy = TokenBucket.perMinute(60);
        Decision old = consume(key("a"), policy, 40);
        advance(MINUTE);
        consume(key("a"), policy, 10);
        await(store().refund(old));
        assertThat(peek(key("a"), policy, 1).reading(0)).isEqualTo(new Reading.Fits(60, Duration.ZERO));
        assertAdmitted(consume(key("a"), policy, 60), 0);
        assertRefused(consume(key("a"), policy, 1));
    }

    @Test
    void consume_overSeveralLimitsWithOneInTheWay_leavesTheOthersFractions() {
        Policy slow = TokenBucket.of(2, 7, MINUTE);
        Policy never = FixedWindow.of(1, Duration.ofDays(365));
        consume(key("a"), slow, 2);
        consume(key("b"), never, 1);
        int thinning = contract().thinning();
        for (int i = 0; i < 1_000; i += thinning) {
            advance(Duration.ofMillis(9).multipliedBy(thinning));
            assertThat(consume(Charge.of(key("a"), slow), Charge.of(key("b"), never))
                            .admitted())
                    .isFalse();
        }
        assertThat(remaining(key("a"), slow)).isEqualTo(9_000L * 7 / 60_000);
    }

    /** Also if the budget was full again before the reset, and after a sweep. */
    @Test
    void refund_ofWhatCameBackBeforeAReset_givesNothingBack() {
        Policy policy = TokenBucket.of(10, 10, Duration.ofSeconds(1));
        Decision decision = consume(key("a"), policy, 5);
        advance(Duration.ofSeconds(1));
        await(store().reset(List.of(key("a"))));
        if (has(Ability.SWEEP)) {
            trial().sweep();
        }
        consume(key("a"), policy, 10);
        await(store().refund(decision));
        assertThat(remaining(key("a"), policy)).isZero();
    }

    @Test
    void reset_longAgo_isRememberedForTheLongestTtl() {
        Policy policy = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        Decision first = consume(key("a"), policy, 3);
        Decision second = consume(key("a"), policy, 3);
        await(store().reset(List.of(key("a"))));
        advance(Store.LONGEST_TTL.minus(Duration.ofMillis(1)));
        if (has(Ability.SWEEP)) {
            trial().sweep();
        }
        consume(key("a"), policy, 10);
        await(store().refund(first));
        assertThat(remaining(key("a"), policy)).isZero();
        advance(Duration.ofMillis(1));
        await(store().refund(second));
        assertThat(remaining(key("a"), policy)).isEqualTo(3);
    }

    @Test
    void decision_readAYearLater_saysWhatItSaidAtFirst() {
        for (Policy policy : everyPolicy()) {
            Decision decision = consume(key(policy), policy, tenth(policy));
            List<Reading> readings = decision.readings();
            advance(Duration.ofDays(400));
            assertThat(decision.readings()).as("%s", policy).isEqualTo(readings);
            assertThat(readings)
                    .extracting(Reading::remaining)
                    .as("%s", policy)
                    .containsExactly(policy.capacity() - tenth(policy));
        }
    }
}
