package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.StoreException;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.HeldCharges;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides one prepared request: backoff, limits, shadow limits, violation, outcome. Immutable and safe for use by any
 * number of threads.
 */
final class Decider {
    /*
     * The path of one decision. Most requests need one call of the store, the one for the enforced limits.
     *
     *   missing key ──────────────────────────────────────────────────────────────► denied, no call
     *   penalty enforced ──► read the subject's violations ── backoff left ───────► penalized
     *                                                      └─ store failed ───────► unavailable
     *   enforced limits ───► all charges, one atomic call ─── store failed ───────► unavailable, or full
     *   shadow limits ─────► one call for each, in parallel ─ a failed one is left out
     *   refused ───────────► count the violation ──────────── store failed: the refusal stands, the count is 0
     *
     * Invariants:
     *
     * - The enforced limits are decided in one atomic call: all charges are spent, or none.
     * - A refused request spends nothing. Its shadow limits are therefore peeked at, not consumed.
     * - A shadow limit never changes the outcome, whether it refuses or fails.
     * - `end` is reached exactly once for each decision, so each outcome is counted and published at most once.
     * - The result never fails with a StoreException: each stage turns a failure into an outcome.
     *
     * The stages are chained with Answers.then. If the store answers at once, as memory does, all stages run in the
     * caller's thread, and the outcome itself is the answer. Otherwise the next stage runs in the thread that completes
     * the store's answer, so no stage blocks. The decider has no mutable state; the state of a decision is in the
     * prepared request, which does not change after it is made.
     *
     * The decision mode is what differs between a check, a peek, a reservation and a lease: which calls of the store
     * are made, whether violations are counted, and whether the decider reports the outcome or its caller.
     */
    /** The wait that clients are given when the store does not answer. */
    static final Duration UNAVAILABLE_WAIT = Duration.ofSeconds(60);

    /** How long a reserved charge waits for the status of the response; after that the charge stands. */
    static final Duration STATUS_WAIT = Duration.ofMinutes(10);

    private final GuardedStore store;
    private final @Nullable Penalties penalties;
    private final OutcomeReporter reporter;

    Decider(GuardedStore store, @Nullable Penalties penalties, OutcomeReporter reporter) {
        this.store = store;
        this.penalties = penalties;
        this.reporter = reporter;
    }

    /** The mode of a decision: what differs between a check, a peek, a reservation and a lease. */
    interface DecisionMode {
        /** Decides all limits that can refuse, in one call. */
        Answer<Decision> decideAll(PreparedRequest prepared);

        /** Decides one shadow limit, given by its index among the shadow limits. */
        Answer<Decision> shadow(int place, List<Charge> charges);

        /** Whether a shadow limit is decided by the mode also if another limit refuses; else it is only read. */
        default boolean countsRefused() {
            return false;
        }

        /** Gets the results of all limits that the store decided. */
        default void decided(LimitResults results) {}

        /** Whether nothing may change: no violation is counted, and no outcome is reported. */
        default boolean readOnly() {
            return false;
        }

        /** Whether the decider counts and publishes the outcome; otherwise the caller does. */
        default boolean reports() {
            return !readOnly();
        }
    }

    /** Decides and spends. */
    final DecisionMode check = new Check(true);

    /** Decides and spends; the caller reports the outcome. */
    final DecisionMode checkSilently = new Check(false);

    private final class Check implements DecisionMode {
        private final boolean tells;

        Check(boolean tells) {
            this.tells = tells;
        }

        @Override
        public Answer<Decision> decideAll(PreparedRequest prepared) {
            HeldCharges held = prepared.held();
            return held == null
                    ? store.consume(prepared.charges(), prepared.deniesOnStoreFailure())
                    : store.reserve(held.id(), prepared.charges(), STATUS_WAIT);
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            return store.consume(charges, false);
        }

        @Override
        public boolean reports() {
            return tells;
        }
    }

    /** Decides and spends nothing. */
    final DecisionMode peek = new DecisionMode() {
        @Override
        public Answer<Decision> decideAll(PreparedRequest prepared) {
            return store.peek(prepared.charges());
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            return store.peek(charges);
        }

        @Override
        public boolean readOnly() {
            return true;
        }
    };

    Answer<Outcome> decide(PreparedRequest prepared, DecisionMode mode) {
        DecisionTracer tracer = reporter.tracer;
        return tracer == null || mode.readOnly()
                ? decideUntraced(prepared, mode)
                : TracedDecision.decide(this, prepared, mode, tracer);
    }

    Answer<Outcome> decideUntraced(PreparedRequest prepared, DecisionMode mode) {
        if (prepared.lacksKey()) {
            return end(prepared, mode, Outcome.missing(prepared));
        }
        List<String> penaltySubject = prepared.penaltySubject();
        if (penalties == null || penaltySubject == null || !penalties.enforces()) {
            return decideLimits(prepared, mode);
        }
        return Answers.then(
                penalties.penaltyState(penaltySubject),
                penaltyState -> {
                    Duration left = penalties.backoffLeft(penaltyState);
                    return left.isZero()
                            ? decideLimits(prepared, mode)
                            : end(
                                    prepared,
                                    mode,
                                    Outcome.penalized(prepared, left, penaltyState.consecutiveViolations()));
                },
                failure -> end(prepared, mode, Outcome.unavailable(prepared, UNAVAILABLE_WAIT)));
    }

    private Answer<Outcome> decideLimits(PreparedRequest prepared, DecisionMode mode) {
        if (prepared.chargesByLimit().isEmpty()) {
            return askShadows(prepared, mode, null);
        }
        return Answers.then(
                mode.decideAll(prepared),
                decision -> askShadows(prepared, mode, decision),
                failure -> end(prepared, mode, unanswered(prepared, failure)));
    }

    /**
     * The outcome when the store failed. A full store refuses, whatever {@code on-store-failure} is: the store answers,
     * and a client that fills it must not be admitted for that.
     */
    private static Outcome unanswered(PreparedRequest prepared, StoreException failure) {
        return failure.kind() == StoreException.Kind.FULL
                ? Outcome.full(prepared, UNAVAILABLE_WAIT, String.valueOf(failure.getMessage()))
                : Outcome.unavailable(prepared, UNAVAILABLE_WAIT);
    }

    /** Starts the calls of all shadow limits before it waits for the first. */
    private Answer<Outcome> askShadows(PreparedRequest prepared, DecisionMode mode, @Nullable Decision decision) {
        if (prepared.shadows().isEmpty()) {
            return toOutcome(new LimitResults(prepared, decision), mode);
        }
        // A refused request spends nothing, not even of shadow limits.
        boolean isRefused = decision != null && !decision.admitted() && !mode.countsRefused();
        List<Answer<Decision>> answers = new ArrayList<>();
        for (int i = 0; i < prepared.shadows().size(); i++) {
            List<Charge> charges = prepared.shadowCharges().get(i);
            answers.add(isRefused ? store.peek(charges) : mode.shadow(i, charges));
        }
        @Nullable Decision[] found = new Decision[answers.size()];
        return Answers.then(
                gather(answers, found, 0),
                all -> toOutcome(new LimitResults(prepared, decision, found), mode),
                failure -> {
                    throw new AssertionError("a failing shadow limit is skipped", failure);
                });
    }

    /** Completes when all answers are complete; a failed one is left out. */
    private static Answer<Boolean> gather(List<Answer<Decision>> answers, @Nullable Decision[] found, int next) {
        if (next == answers.size()) {
            return Answer.of(true);
        }
        return Answers.then(
                answers.get(next),
                decision -> {
                    found[next] = decision;
                    return gather(answers, found, next + 1);
                },
                failure -> gather(answers, found, next + 1));
    }

    private Answer<Outcome> toOutcome(LimitResults limitResults, DecisionMode mode) {
        PreparedRequest prepared = limitResults.prepared;
        mode.decided(limitResults);
        if (limitResults.admitted()) {
            return end(prepared, mode, Outcome.allowed(limitResults));
        }
        List<LimitResult> limits = limitResults.limits();
        Duration wait = LimitResults.longestWait(limits);
        List<String> penaltySubject = prepared.penaltySubject();
        if (penalties == null || penaltySubject == null || mode.readOnly()) {
            return end(prepared, mode, Outcome.denied(prepared, limits, wait, 0));
        }
        return Answers.then(
                penalties.violate(penaltySubject),
                violations -> end(
                        prepared,
                        mode,
                        Outcome.denied(
                                prepared, limits, wait == null ? null : penalties.wait(violations, wait), violations)),
                // The refusal stands; only the number of violations is unknown.
                failure -> end(prepared, mode, Outcome.denied(prepared, limits, wait, 0)));
    }

    private Outcome end(PreparedRequest prepared, DecisionMode mode, Outcome outcome) {
        if (mode.reports()) {
            reporter.report(prepared, outcome);
        }
        return outcome;
    }
}
