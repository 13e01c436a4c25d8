package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.StoreException;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.EarlyLimits;
import dev.weir.engine.plan.HeldCharges;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.Plan;
import dev.weir.engine.plan.PreparedLimit;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A check of a request whose attributes become known in two stages, such as before and after authentication.
 *
 * <p>The {@linkplain #first first} stage has already spent. It ends once, in one of three ways. {@link #finish} checks
 * the remaining limits, and refunds the first stage if they refuse. {@link #giveBack} refunds it. {@link #leave} keeps
 * what it spent, for example after a failed authentication. Only then is the request counted and published, as one
 * decision. Both stages use the same configuration. Safe for use by any number of threads.
 */
public final class TwoStageCheck {
    /*
     * States and transitions.
     *
     *   begin ── first stage refused ──► over (reported as the first outcome)
     *     │
     *     └── admitted, or no limit ───► open ── finish ───► over (reported as the outcome of all limits)
     *                                        ├── giveBack ─► over (refunded, not reported)
     *                                        └── leave ────► over (reported as the first outcome)
     *
     * - `isOver` changes from false to true once, by compare-and-set. Any thread may do it. The winner alone refunds,
     * reports or runs the second stage; so nothing is refunded twice and nothing is counted twice.
     * - finish prepares the second stage before the compare-and-set. If the attributes are invalid, it throws and the
     * check stays open, so the caller can still refund or leave it.
     * - The plan, the decider and the early limits are those of the first stage. A reload in between does not affect
     * the check; so each limit belongs to exactly one of the two stages.
     * - The second stage is a decision about all limits. The charges of early limits are not spent again: StagedCharges
     * splits the charges, spends only the late ones, and joins both results in the order of the file.
     * - If the first stage had no result because the store did not answer, the second stage decides all charges.
     * - Refunds are best effort. What cannot be refunded stays spent, so failures never admit too much.
     * - `first` is written before the check is handed to the caller, and not afterwards; that is why it is not
     * volatile.
     */
    private final Plan plan;
    private final Decider decider;
    private final GuardedStore store;
    private final OutcomeReporter reporter;
    private final Request request;
    private final EarlyLimits early;
    /** The prepared first stage; null if no limit applied. */
    private final @Nullable PreparedRequest prepared;
    /** Set before the check is handed to the caller. */
    private Outcome first = Outcome.untouched();

    private final AtomicBoolean isOver = new AtomicBoolean();

    private TwoStageCheck(
            Plan plan,
            Decider decider,
            GuardedStore store,
            OutcomeReporter reporter,
            Request request,
            Set<String> later) {
        this.plan = plan;
        this.decider = decider;
        this.store = store;
        this.reporter = reporter;
        this.request = request;
        this.early = plan.earlyLimits(later);
        this.prepared = plan.prepareEarly(request, early);
    }

    static Answer<TwoStageCheck> begin(
            Plan plan,
            Decider decider,
            GuardedStore store,
            OutcomeReporter reporter,
            Request request,
            Set<String> later) {
        TwoStageCheck check = new TwoStageCheck(plan, decider, store, reporter, request, later);
        PreparedRequest prepared = check.prepared;
        if (prepared == null) {
            return Answer.of(check);
        }
        return Answers.map(decider.decide(prepared, decider.checkSilently), outcome -> {
            check.first = outcome;
            if (!outcome.allowed()) {
                check.leave();
            }
            return check;
        });
    }

    /** The outcome of the limits of the first stage. If they refused, this is the outcome of the request. */
    public Outcome first() {
        return first;
    }

    /**
     * Checks the remaining limits with the attributes that are known now: in one call of the store, or in none if no
     * other limit applies. The outcome is that of all limits. The answer never fails.
     *
     * @param more the attributes that are known now; those of the first stage keep their values
     * @throws IllegalArgumentException if the attributes are invalid; the check stays open
     * @throws IllegalStateException if the check is over
     */
    public Answer<Outcome> finish(Map<String, String> more) {
        Map<String, String> attributes = new HashMap<>(more);
        attributes.putAll(request.attributes());
        Request complete = new Request(attributes, request.cost(), request.costs(), request.reportsStatus());
        PreparedRequest whole = plan.prepare(complete, false);
        if (!isOver.compareAndSet(false, true)) {
            throw new IllegalStateException("this check is over");
        }
        if (whole == null) {
            // The new attributes make the request exempt.
            return Answers.map(refund(), done -> {
                reporter.reportUnlimited(plan, complete);
                return Outcome.untouched();
            });
        }
        RemainingLimitsMode remaining = new RemainingLimitsMode(whole);
        return Answers.then(
                decider.decide(whole, remaining),
                outcome ->
                        outcome.allowed() ? outcome.holding(remaining.held()) : Answers.map(refund(), done -> outcome),
                Promise::failed);
    }

    /**
     * Refunds what the first stage spent; nothing is counted. Returns false, without an effect, if the check is over.
     */
    public Answer<Boolean> giveBack() {
        return isOver.compareAndSet(false, true) ? refund() : Answer.of(false);
    }

    /** Ends the check; what was spent stays spent. Has no effect if the check is over. */
    public void leave() {
        if (isOver.compareAndSet(false, true)) {
            if (prepared == null) {
                reporter.reportUnlimited(plan, request);
            } else {
                reporter.report(prepared, first);
            }
        }
    }

    /** Refunds the first stage. If the store does not answer, the charges stay spent, so never too much is admitted. */
    private Answer<Boolean> refund() {
        LimitResults limitResults = first.limitResults();
        if (prepared == null || limitResults == null) {
            return Answer.of(true);
        }
        List<Decision> spent = new ArrayList<>();
        add(spent, limitResults.decision());
        for (int i = 0; i < prepared.shadows().size(); i++) {
            add(spent, limitResults.shadow(i));
        }
        Answer<Boolean> all = Answer.of(true);
        for (Decision decision : spent) {
            Answer<Boolean> one = store.giveBack(decision);
            all = Answers.then(
                    all, done -> Answers.then(one, Answer::of, failure -> Answer.of(false)), Promise::failed);
        }
        return all;
    }

    private static void add(List<Decision> spent, @Nullable Decision decision) {
        if (decision != null && decision.admitted()) {
            spent.add(decision);
        }
    }

    /**
     * The mode of the second stage: decides the limits that the first stage did not check, and returns the result of
     * all.
     */
    private final class RemainingLimitsMode implements Decider.DecisionMode {
        private final PreparedRequest whole;
        private final @Nullable HeldCharges late;

        RemainingLimitsMode(PreparedRequest whole) {
            this.whole = whole;
            this.late = whole.request().reportsStatus() ? HeldCharges.of(lateCharges()) : null;
        }

        private List<LimitCharges> lateCharges() {
            return before() == null
                    ? whole.chargesByLimit()
                    : whole.chargesByLimit().stream()
                            .filter(limitCharges -> !early.contains(limitCharges.limit()))
                            .toList();
        }

        private @Nullable Decision before() {
            LimitResults limitResults = first.limitResults();
            return limitResults == null ? null : limitResults.decision();
        }

        /** The charges of both stages that wait for the status of the response. */
        List<HeldCharges> held() {
            return Stream.concat(first.held().stream(), Stream.ofNullable(late)).toList();
        }

        @Override
        public Answer<Decision> decideAll(PreparedRequest asked) {
            Decision before = before();
            if (before == null) {
                return spend(asked.charges());
            }
            StagedCharges charges = StagedCharges.of(asked, early);
            return charges.late().isEmpty()
                    ? before
                    : Answers.map(spend(charges.late()), after -> charges.join(before, after));
        }

        private Answer<Decision> spend(List<Charge> charges) {
            return late == null
                    ? store.consume(charges, whole.deniesOnStoreFailure())
                    : store.reserve(late.id(), charges, Decider.STATUS_WAIT);
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            PreparedLimit limit = whole.shadows().get(place).limit();
            LimitResults limitResults = first.limitResults();
            if (prepared == null || limitResults == null || !early.contains(limit)) {
                return decider.check.shadow(place, charges);
            }
            for (int i = 0; i < prepared.shadows().size(); i++) {
                Decision heard = limitResults.shadow(i);
                if (prepared.shadows().get(i).limit() == limit && heard != null) {
                    return heard;
                }
            }
            return Promise.failed(new StoreException("a shadow limit was not decided", true, null));
        }
    }
}
