package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.history.Feature;
import dev.weir.testkit.history.Histories;
import dev.weir.testkit.history.Plan;
import dev.weir.testkit.history.PolicyKind;
import dev.weir.testkit.history.Replay;
import dev.weir.testkit.history.VectorFile;
import org.junit.jupiter.api.Test;

/**
 * The same answer everywhere: random histories, to the bit.
 *
 * <p>The seeds are the same in every run; {@code -Dweir.histories.seed} chooses others.
 */
abstract class HistoryContract extends ContractPart {
    private static final long FIRST_SEED = Long.getLong("weir.histories.seed", 0);

    HistoryContract(StoreContract contract) {
        super(contract);
    }

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
        needs(Ability.ONE_STEP);
        check(simple().only(PolicyKind.STREAK));
    }

    @Test
    void calendarWindows_inRandomHistories_answerAsTheModelDoes() {
        needs(Ability.CALENDAR);
        check(simple().only(PolicyKind.CALENDAR_WINDOW));
    }

    @Test
    void slots_inRandomHistories_answerAsTheModelDoes() {
        check(simple().only(PolicyKind.CONCURRENCY));
    }

    @Test
    void sameKeysInOneDecision_inRandomHistories_answerAsTheModelDoes() {
        needs(Ability.ONE_STEP);
        check(simple().with(Feature.REPEATED_KEYS));
    }

    @Test
    void policyChanges_inRandomHistories_answerAsTheModelDoes() {
        needs(Ability.ONE_STEP);
        check(simple().with(Feature.POLICY_CHANGES));
    }

    @Test
    void everything_inRandomHistories_answersAsTheModelDoes() {
        needs(Ability.ONE_STEP);
        check(plan());
    }

    @Test
    void steadyClock_thatStepsBack_answersAsTheModelDoes() {
        needs(Ability.STEADY_CLOCK, Ability.CLOCK_STEPS_BACK);
        check(simple().with(Feature.STEPS_BACK).without(PolicyKind.CALENDAR_WINDOW));
    }

    @Test
    void calendarWindows_withAWallClockThatIsSet_answerAsTheModelDoes() {
        needs(Ability.CALENDAR, Ability.CLOCK_STEPS_BACK);
        // What is whole at one time may not be at an earlier one, and what was spent then has no place in it.
        check(simple().only(PolicyKind.CALENDAR_WINDOW)
                .with(Feature.WALL_STEPS)
                .without(Feature.SWEEPS)
                .without(Feature.REFUNDS)
                .without(Feature.RESERVATIONS));
    }

    @Test
    void goldenVectors_replayed_giveTheAnswersThatWereWrittenDown() {
        needs(Ability.GIVEN_CLOCK, Ability.MICROSECONDS, Ability.CALENDAR);
        double least = has(Ability.LARGE_BUCKETS) ? 1 : 0.8;
        for (VectorFile file : VectorFile.all()) {
            assertThat(file.check(contract()::newStore)).as("%s", file).isGreaterThanOrEqualTo(least);
        }
    }

    private Plan plan() {
        Plan plan = Plan.everything(trial().timing());
        plan = has(Ability.SWEEP) ? plan.with(Feature.SWEEPS) : plan;
        return has(Ability.CALENDAR) ? plan : plan.without(PolicyKind.CALENDAR_WINDOW);
    }

    /** Without what tells most about a store that is otherwise right. */
    private Plan simple() {
        return plan().without(Feature.REPEATED_KEYS).without(Feature.POLICY_CHANGES);
    }

    private void check(Plan plan) {
        needs(Ability.GIVEN_CLOCK);
        for (int i = 0; i < contract().histories(); i++) {
            Replay.check(Histories.random(FIRST_SEED + i, plan), contract()::newStore);
        }
    }
}
