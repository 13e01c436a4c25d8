package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A charge that fits is admitted, any other is refused, and a refusal spends nothing. */
public abstract class AdmissionContract extends ContractPart {
    @Test
    void consume_asMuchAsThereIs_countsDownToZeroAndThenRefuses() {
        forEveryPolicy((policy, key, tenth) -> {
            for (int i = 1; i <= 10; i++) {
                assertAdmitted(consume(key, policy, tenth), policy.capacity() - i * tenth);
            }
            assertThat(assertRefused(consume(key, policy, tenth)).remaining())
                    .as("%s", policy)
                    .isZero();
        });
    }

    @Test
    void consume_wholeCapacityAtOnce_fitsOnce() {
        for (Policy policy : everyPolicy()) {
            assertAdmitted(consume(key(policy), policy, policy.capacity()), 0);
            assertRefused(consume(key(policy), policy, 1));
        }
    }

    @Test
    void consume_weightedCosts_spendsEachCost() {
        forEveryPolicy((policy, key, tenth) -> {
            assertAdmitted(consume(key, policy, 3 * tenth), 7 * tenth);
            assertAdmitted(consume(key, policy, 5 * tenth), 2 * tenth);
            assertAdmitted(consume(key, policy, 2 * tenth), 0);
        });
    }

    @Test
    void consume_costSplitInParts_leavesWhatTheWholeCostLeaves() {
        for (Policy policy : everyPolicy()) {
            long tenth = tenth(policy);
            Key whole = Key.of("whole", policy.toString());
            Key split = Key.of("split", policy.toString());
            consume(whole, policy, 6 * tenth);
            consume(split, policy, tenth);
            consume(split, policy, 2 * tenth);
            consume(split, policy, 3 * tenth);
            assertThat(remaining(split, policy))
                    .as("%s", policy)
                    .isEqualTo(remaining(whole, policy))
                    .isEqualTo(4 * tenth);
        }
    }

    @Test
    void consume_moreThanIsLeft_isRefusedAndSpendsNothing() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 8 * tenth);
            Reading.Refused refused = assertRefused(consume(key, policy, 2 * tenth + 1));
            assertThat(refused.remaining()).as("%s", policy).isEqualTo(2 * tenth);
            assertThat(refused.retryAfter()).as("%s", policy).isPositive();
            assertThat(refused.resetAfter()).as("%s", policy).isGreaterThanOrEqualTo(refused.retryAfter());
            assertAdmitted(consume(key, policy, 2 * tenth), 0);
        });
    }

    @Test
    void consume_moreThanTheCapacity_isImpossibleAndSpendsNothing() {
        forEveryPolicy((policy, key, tenth) -> {
            for (long cost : new long[] {policy.capacity() + 1, Policy.MAX_COUNT + 1, Long.MAX_VALUE}) {
                Reading.Impossible impossible = assertImpossible(consume(key, policy, cost));
                assertThat(impossible.capacity()).as("%s", policy).isEqualTo(policy.capacity());
                assertThat(impossible.remaining()).as("%s", policy).isEqualTo(policy.capacity());
            }
            assertAdmitted(consume(key, policy, policy.capacity()), 0);
            assertImpossible(consume(key, policy, Long.MAX_VALUE));
        });
    }

    @Test
    void consume_closedLimit_isImpossibleForEver() {
        Reading.Impossible impossible = assertImpossible(consume(key("closed"), Policy.closed(), 1));
        assertThat(impossible).isEqualTo(new Reading.Impossible(0, 0, Duration.ZERO));
        assertImpossible(consume(key("closed"), Policy.closed(), Long.MAX_VALUE));
    }

    @Test
    void consume_countsAtTheLargest_areExact() {
        for (Policy policy : held(policies(
                TokenBucket.of(Policy.MAX_COUNT, 1, Duration.ofSeconds(1_000)),
                FixedWindow.of(Policy.MAX_COUNT, DAY),
                SlidingWindow.of(Policy.MAX_COUNT, DAY)))) {
            Key key = key(policy);
            assertAdmitted(consume(key, policy, Policy.MAX_COUNT - 1_000_000), 1_000_000);
            assertAdmitted(consume(key, policy, 999_999), 1);
            assertRefused(consume(key, policy, 1_000_000_000));
        }
    }

    @Test
    void consume_refusedAgainAndAgain_changesNothing() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, policy.capacity());
            Reading.Refused before = assertRefused(consume(key, policy, 1));
            for (int i = 0; i < 100; i++) {
                consume(key, policy, 1 + i % 10);
            }
            Reading.Refused after = assertRefused(consume(key, policy, 1));
            // If the store's own clock runs, the wait may have become a little shorter, never longer.
            assertThat(after.retryAfter()).as("%s", policy).isLessThanOrEqualTo(before.retryAfter());
            assertThat(after.resetAfter()).as("%s", policy).isLessThanOrEqualTo(before.resetAfter());
        });
    }

    @Test
    void decision_ofTheCallersList_staysWhatItIs() {
        Policy policy = FixedWindow.of(10, DAY);
        List<Charge> charges =
                new ArrayList<>(List.of(new Charge(key("a"), policy, 3), new Charge(key("b"), policy, 4)));
        Decision decision = await(store().consume(charges));
        charges.clear();
        assertThat(decision.charges()).hasSize(2);
        assertAdmitted(decision, 7, 6);
    }

    @Test
    void decision_readLater_saysWhatItSaidAtFirst() {
        for (Policy policy : everyPolicy()) {
            Decision decision = consume(key(policy), policy, tenth(policy));
            List<Reading> readings = decision.readings();
            consume(key(policy), policy, tenth(policy));
            assertThat(decision.readings()).as("%s", policy).isEqualTo(readings);
            assertThat(decision.readings())
                    .extracting(Reading::remaining)
                    .as("%s", policy)
                    .containsExactly(policy.capacity() - tenth(policy));
        }
    }
}
