package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.Reading;
import dev.weir.testkit.Ability;
import dev.weir.testkit.history.Feature;
import dev.weir.testkit.history.Histories;
import dev.weir.testkit.history.HistoryOptions;
import dev.weir.testkit.history.NastyPolicies;
import dev.weir.testkit.history.PolicyKind;
import dev.weir.testkit.history.Replay;
import dev.weir.testkit.history.VectorFile;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Equal results in all stores: random histories, compared with the model to the bit.
 *
 * <p>The seeds are the same in every run; {@code -Dweir.histories.seed} sets others.
 */
public abstract class HistoryContract extends ContractPart {
    private static final long FIRST_SEED = Long.getLong("weir.histories.seed", 0);

    @Test
    void tokenBuckets_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.TOKEN_BUCKET));
    }

    @Test
    void fixedWindows_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.FIXED_WINDOW));
    }

    @Test
    void slidingWindows_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.SLIDING_WINDOW));
    }

    @Test
    void streaks_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.STREAK));
    }

    @Test
    void calendarWindows_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.CALENDAR_WINDOW));
    }

    @Test
    void slots_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.CONCURRENCY));
    }

    @Test
    void sameKeysInOneDecision_inRandomHistories_answerAsTheModelDoes() {
        check(simple().with(Feature.REPEATED_KEYS));
    }

    @Test
    void policyChanges_inRandomHistories_answerAsTheModelDoes() {
        check(simple().with(Feature.POLICY_CHANGES));
    }

    @Test
    void everything_inRandomHistories_answersAsTheModelDoes() {
        check(plan());
    }

    @Test
    void steadyClock_thatStepsBack_answersAsTheModelDoes() {
        needs(Ability.STEADY_CLOCK, Ability.CLOCK_STEPS_BACK);
        check(simple().with(Feature.STEPS_BACK).without(PolicyKind.CALENDAR_WINDOW));
    }

    @Test
    void calendarWindows_withAWallClockThatIsSet_answerAsTheModelDoes() {
        needs(Ability.CLOCK_STEPS_BACK);
        // A budget that is full at one time may not be at an earlier one, and has no place for what was spent then.
        check(simple().only(PolicyKind.CALENDAR_WINDOW)
                .with(Feature.WALL_STEPS)
                .without(Feature.SWEEPS)
                .without(Feature.REFUNDS)
                .without(Feature.RESERVATIONS));
    }

    @Test
    void goldenVectors_replayed_giveTheAnswersThatWereWrittenDown() {
        needs(Ability.MICROSECONDS);
        double least = has(Ability.LARGE_BUCKETS) ? 1 : 0.8;
        for (VectorFile file : VectorFile.all()) {
            assertThat(file.check(contract()::newStore)).as("%s", file).isGreaterThanOrEqualTo(least);
        }
    }

    /** On any fast path that the limiter takes. */
    @Test
    void limiter_inRandomHistories_decidesAsConsumeDoes() {
        SplittableRandom random = new SplittableRandom(7);
        NastyPolicies policies = new NastyPolicies(random, trial().timing()::holds);
        List<PolicyKind> kinds = List.of(PolicyKind.TOKEN_BUCKET, PolicyKind.FIXED_WINDOW, PolicyKind.SLIDING_WINDOW);
        for (int round = 0; round < histories(); round++) {
            String name = "round " + round;
            Policy policy = policies.next(kinds.get(round % 3));
            RateLimiter limiter = RateLimiter.on(store(), name, policy, TIMEOUT);
            KeyLimiter one = limiter.forKey("one");
            for (int i = 0; i < 20; i++) {
                boolean isOne = random.nextInt(3) == 0;
                long cost = isOne ? 1 : 1 + random.nextLong(1 + policy.capacity() / (1 + random.nextInt(5)));
                Decision decision = consume(Key.of(name, "consume"), policy, cost);
                assertThat(limiter.tryConsume("many", cost)).as("%s", policy).isEqualTo(decision.admitted());
                boolean admitted = isOne ? one.tryConsume() : one.tryConsume(cost);
                assertThat(admitted).as("%s", policy).isEqualTo(decision.admitted());
                if (decision.reading(0) instanceof Reading.Refused refused
                        && refused.retryAfter().compareTo(Duration.ofDays(7)) < 0) {
                    advance(random.nextBoolean() ? refused.retryAfter() : tick(policy));
                }
            }
            assertThat(peek(Key.of(name, "many"), policy, 1).readings())
                    .as("%s", policy)
                    .isEqualTo(peek(Key.of(name, "consume"), policy, 1).readings())
                    .isEqualTo(peek(Key.of(name, "one"), policy, 1).readings());
        }
    }

    private HistoryOptions plan() {
        HistoryOptions plan = HistoryOptions.everything(trial().timing());
        return has(Ability.SWEEP) ? plan.with(Feature.SWEEPS) : plan;
    }

    /** A plan without repeated keys and policy changes. */
    private HistoryOptions simple() {
        return plan().without(Feature.REPEATED_KEYS).without(Feature.POLICY_CHANGES);
    }

    private int histories() {
        return contract().histories();
    }

    private void check(HistoryOptions plan) {
        for (int i = 0; i < histories(); i++) {
            Replay.check(Histories.random(FIRST_SEED + i, plan), contract()::newStore);
        }
    }
}
