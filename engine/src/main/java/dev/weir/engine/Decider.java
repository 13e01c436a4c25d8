package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.StoreException;
import dev.weir.engine.guard.GuardedStore;
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
    private final Announcer announcer;

    Decider(GuardedStore store, @Nullable Penalties penalties, Announcer announcer) {
        this.store = store;
        this.penalties = penalties;
        this.announcer = announcer;
    }

    /** The mode of a decision: what differs between a check, a peek, a reservation and a lease. */
    interface Asking {
        /** Decides all limits that can refuse, in one call. */
        Answer<Decision> together(Inquiry inquiry);

        /** Decides one shadow limit, given by its index among the shadow limits. */
        Answer<Decision> shadow(int place, List<Charge> charges);

        /** Whether nothing may change: no violation is counted, and no outcome is reported. */
        default boolean looksOnly() {
            return false;
        }

        /** Whether the decider counts and publishes the outcome; otherwise the caller does. */
        default boolean tells() {
            return !looksOnly();
        }
    }

    /** Decides and spends. */
    final Asking check = new Check(true);

    /** Decides and spends; the caller reports the outcome. */
    final Asking checkSilently = new Check(false);

    private final class Check implements Asking {
        private final boolean tells;

        Check(boolean tells) {
            this.tells = tells;
        }

        @Override
        public Answer<Decision> together(Inquiry inquiry) {
            HeldCharges held = inquiry.held;
            return held == null
                    ? store.consume(inquiry.charges, inquiry.failsSecure())
                    : store.reserve(held.id(), inquiry.charges, STATUS_WAIT);
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            return store.consume(charges, false);
        }

        @Override
        public boolean tells() {
            return tells;
        }
    }

    /** Decides and spends nothing. */
    final Asking peek = new Asking() {
        @Override
        public Answer<Decision> together(Inquiry inquiry) {
            return store.peek(inquiry.charges);
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            return store.peek(charges);
        }

        @Override
        public boolean looksOnly() {
            return true;
        }
    };

    Answer<Outcome> decide(Inquiry inquiry, Asking asking) {
        if (inquiry.lacksKey()) {
            return end(inquiry, asking, Outcome.missing(inquiry));
        }
        List<String> offender = inquiry.offender;
        if (penalties == null || offender == null || !penalties.enforces()) {
            return askTogether(inquiry, asking);
        }
        return Answers.then(
                penalties.standing(offender),
                standing -> {
                    Duration left = penalties.backoffLeft(standing);
                    return left.isZero()
                            ? askTogether(inquiry, asking)
                            : end(inquiry, asking, Outcome.penalized(inquiry, left, standing.consecutiveViolations()));
                },
                failure -> end(inquiry, asking, Outcome.unavailable(inquiry, UNAVAILABLE_WAIT)));
    }

    private Answer<Outcome> askTogether(Inquiry inquiry, Asking asking) {
        if (inquiry.demands.isEmpty()) {
            return askShadows(inquiry, asking, null);
        }
        return Answers.then(
                asking.together(inquiry),
                decision -> askShadows(inquiry, asking, decision),
                failure -> end(inquiry, asking, unanswered(inquiry, failure)));
    }

    /**
     * The outcome when the store failed. A full store refuses, whatever {@code on-store-failure} is: the store answers,
     * and a client that fills it must not be admitted for that.
     */
    private static Outcome unanswered(Inquiry inquiry, StoreException failure) {
        return failure.kind() == StoreException.Kind.FULL
                ? Outcome.full(inquiry, UNAVAILABLE_WAIT, String.valueOf(failure.getMessage()))
                : Outcome.unavailable(inquiry, UNAVAILABLE_WAIT);
    }

    /** Starts the calls of all shadow limits before it waits for the first. */
    private Answer<Outcome> askShadows(Inquiry inquiry, Asking asking, @Nullable Decision decision) {
        if (inquiry.shadows.isEmpty()) {
            return judge(new Findings(inquiry, decision), asking);
        }
        // A refused request spends nothing, not even of shadow limits.
        boolean isRefused = decision != null && !decision.admitted();
        List<Answer<Decision>> answers = new ArrayList<>();
        for (int i = 0; i < inquiry.shadows.size(); i++) {
            List<Charge> charges = inquiry.shadowCharges.get(i);
            answers.add(isRefused ? store.peek(charges) : asking.shadow(i, charges));
        }
        @Nullable Decision[] found = new Decision[answers.size()];
        return Answers.then(
                gather(answers, found, 0), all -> judge(new Findings(inquiry, decision, found), asking), failure -> {
                    throw new AssertionError("a shadow that fails is left out", failure);
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

    private Answer<Outcome> judge(Findings findings, Asking asking) {
        Inquiry inquiry = findings.inquiry;
        if (findings.admitted()) {
            return end(inquiry, asking, Outcome.allowed(findings));
        }
        List<LimitResult> limits = findings.limits();
        Duration wait = Findings.longestWait(limits);
        List<String> offender = inquiry.offender;
        if (penalties == null || offender == null || asking.looksOnly()) {
            return end(inquiry, asking, Outcome.denied(inquiry, limits, wait, 0));
        }
        return Answers.then(
                penalties.violate(offender),
                violations -> end(
                        inquiry,
                        asking,
                        Outcome.denied(
                                inquiry, limits, wait == null ? null : penalties.wait(violations, wait), violations)),
                // The refusal stands; only the number of violations is unknown.
                failure -> end(inquiry, asking, Outcome.denied(inquiry, limits, wait, 0)));
    }

    private Outcome end(Inquiry inquiry, Asking asking, Outcome outcome) {
        if (asking.tells()) {
            announcer.tell(inquiry, outcome);
        }
        return outcome;
    }
}
