package dev.weir.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Policy;
import dev.weir.algorithm.PolicyModel;
import dev.weir.testkit.history.NastyPolicies;
import dev.weir.testkit.history.PolicyKind;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The model's formulas agree with their definitions: retry-after is the least wait after which the charge fits, found
 * by search.
 */
class BudgetPropertyTest {
    private static final long START = 1_767_225_600_000L;

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "FIXED_WINDOW", "SLIDING_WINDOW", "CALENDAR_WINDOW"})
    void waits_foundBySearch_areThoseThatTheModelNames(PolicyKind kind) {
        SplittableRandom random = new SplittableRandom(5);
        NastyPolicies policies = new NastyPolicies(random, any -> true);
        for (int round = 0; round < 2_000; round++) {
            Policy policy = policies.next(kind);
            Budget budget = Budget.open(policy, PolicyModel.local(policy).resolution(), START);
            long now = START;
            for (int i = 0; i < 4; i++) {
                budget.spend(1 + random.nextLong(policy.capacity()), now);
                now += random.nextLong(1 + Math.min(budget.resetAfter(now), 1L << 50) / 4);
            }
            long cost = 1 + random.nextLong(policy.capacity());
            if (!budget.fits(cost, now)) {
                long retry = budget.retryAfter(cost, now);
                assertThat(budget.copy().fits(cost, now + retry - 1))
                        .as("%s", policy)
                        .isFalse();
                assertThat(budget.copy().fits(cost, now + retry))
                        .as("%s", policy)
                        .isTrue();
            }
            long reset = budget.resetAfter(now);
            if (reset > 0) {
                assertThat(budget.copy().resetAfter(now + reset - 1))
                        .as("%s", policy)
                        .isEqualTo(1);
            }
            assertThat(budget.copy().resetAfter(now + reset)).as("%s", policy).isZero();
            assertThat(budget.copy().available(now + reset)).as("%s", policy).isEqualTo(policy.capacity());
        }
    }
}
