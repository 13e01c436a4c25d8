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
 * The path of one decision: backoff, limits, shadows, violation, outcome.
 *
 * <p>Written once for stores that answer at once and for those that answer later: each stage goes on when the one before
 * has its answer. Down to the store it is one call, and further ones only where a backoff is enforced, a shadow limit
 * applies, or the request is refused and its violation counted.
 */
final class Decider {
    /** What a client is told to wait when the store is gone. */
    static final Duration UNAVAILABLE_WAIT = Duration.ofSeconds(60);

    /** How long the status of a response is waited for; after that the charge stands. */
    static final Duration STATUS_WAIT = Duration.ofMinutes(10);

    private final GuardedStore store;
    private final @Nullable Penalties penalties;
    private final Announcer announcer;

    Decider(GuardedStore store, @Nullable Penalties penalties, Announcer announcer) {
        this.store = store;
        this.penalties = penalties;
        this.announcer = announcer;
    }

    /** How the limits are asked: what differs between a check, a peek, a reservation and a lease. */
    interface Asking {
        /** Asks the limits that can refuse, together. */
        Answer<Decision> together(Inquiry inquiry);

        /** Asks one limit that only reports, by its place among these. */
        Answer<Decision> shadow(int place, List<Charge> charges);

        /** Whether it is only looked at: nobody is punished, and nobody told. */
        default boolean looksOnly() {
            return false;
        }

        /** Whether the outcome is counted and told here, and not by who asked. */
        default boolean tells() {
            return !looksOnly();
        }
    }

    /** Decides and spends. */
    final Asking check = new Check(true);

    /** The same, and leaves it to the caller to tell. */
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
     * A full store refuses whatever {@code on-store-failure} says: the store is there, and a client that fills it must not
     * get what it wants by that.
     */
    private static Outcome unanswered(Inquiry inquiry, StoreException failure) {
        return failure.kind() == StoreException.Kind.FULL
                ? Outcome.full(inquiry, UNAVAILABLE_WAIT, String.valueOf(failure.getMessage()))
                : Outcome.unavailable(inquiry, UNAVAILABLE_WAIT);
    }

    /** All of them are asked before the first answer is waited for. */
    private Answer<Outcome> askShadows(Inquiry inquiry, Asking asking, @Nullable Decision decision) {
        if (inquiry.shadows.isEmpty()) {
            return judge(new Findings(inquiry, decision), asking);
        }
        // What is refused spends nothing, of shadow limits neither.
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

    /** Answers when all are there; one that failed is left out. */
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
                // The refusal stands; only how often it happened is not known.
                failure -> end(inquiry, asking, Outcome.denied(inquiry, limits, wait, 0)));
    }

    private Outcome end(Inquiry inquiry, Asking asking, Outcome outcome) {
        if (asking.tells()) {
            announcer.tell(inquiry, outcome);
        }
        return outcome;
    }
}
