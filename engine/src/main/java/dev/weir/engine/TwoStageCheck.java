package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.StoreException;
import dev.weir.engine.guard.GuardedStore;
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
 * A check of a request that becomes known in two stages, such as before and after its user is authenticated.
 *
 * <p>The {@linkplain #first first} stage has spent. It ends in one of three ways, once: it is {@linkplain #finish
 * finished} by the limits that had to wait, which give it back should they refuse; it is {@linkplain #giveBack given
 * back}; or it is {@linkplain #leave left} at what it spent, as of one whose authentication failed. Only then is it
 * counted and told, as one decision. Both stages are decided by the same configuration.
 */
public final class TwoStageCheck {
    private final Plan plan;
    private final Decider decider;
    private final GuardedStore store;
    private final Announcer announcer;
    private final Request request;
    private final EarlyLimits early;
    /** What was asked in the first stage; null if nothing was. */
    private final @Nullable Inquiry inquiry;
    /** Set before the check is handed out. */
    private Outcome first = Outcome.untouched();

    private final AtomicBoolean isOver = new AtomicBoolean();

    private TwoStageCheck(
            Plan plan, Decider decider, GuardedStore store, Announcer announcer, Request request, Set<String> later) {
        this.plan = plan;
        this.decider = decider;
        this.store = store;
        this.announcer = announcer;
        this.request = request;
        this.early = plan.earlyLimits(later);
        this.inquiry = plan.inquireEarly(request, early);
    }

    static Answer<TwoStageCheck> begin(
            Plan plan, Decider decider, GuardedStore store, Announcer announcer, Request request, Set<String> later) {
        TwoStageCheck check = new TwoStageCheck(plan, decider, store, announcer, request, later);
        Inquiry inquiry = check.inquiry;
        if (inquiry == null) {
            return Answer.of(check);
        }
        return Answers.map(decider.decide(inquiry, decider.checkSilently), outcome -> {
            check.first = outcome;
            if (!outcome.allowed()) {
                check.leave();
            }
            return check;
        });
    }

    /** What the limits said that could be asked at once. If they refused, this is the outcome. */
    public Outcome first() {
        return first;
    }

    /**
     * Asks the other limits, now that more is known: in one call of the store, or in none if no other applies. The answer
     * is of all limits together, and never fails.
     *
     * @param more what is known now; what was known before stays
     * @throws IllegalArgumentException if it cannot be asked with these attributes; the check is not over
     * @throws IllegalStateException if it is over
     */
    public Answer<Outcome> finish(Map<String, String> more) {
        Map<String, String> attributes = new HashMap<>(more);
        attributes.putAll(request.attributes());
        Inquiry whole =
                plan.inquire(new Request(attributes, request.cost(), request.costs(), request.reportsStatus()), false);
        if (!isOver.compareAndSet(false, true)) {
            throw new IllegalStateException("this check is over");
        }
        if (whole == null) {
            // Exempt, as is known only now.
            return Answers.map(refund(), done -> {
                announcer.tellUntouched();
                return Outcome.untouched();
            });
        }
        Remaining remaining = new Remaining(whole);
        return Answers.then(
                decider.decide(whole, remaining),
                outcome ->
                        outcome.allowed() ? outcome.holding(remaining.held()) : Answers.map(refund(), done -> outcome),
                Promise::failed);
    }

    /** Gives back what was spent: nothing was done, and nothing is counted. Harmless when it is over. */
    public Answer<Boolean> giveBack() {
        return isOver.compareAndSet(false, true) ? refund() : Answer.of(false);
    }

    /** Ends it here: what was spent stays spent. Harmless when it is over. */
    public void leave() {
        if (isOver.compareAndSet(false, true)) {
            if (inquiry == null) {
                announcer.tellUntouched();
            } else {
                announcer.tell(inquiry, first);
            }
        }
    }

    /** What cannot be given back, as the store does not answer, stays spent: never is too much admitted. */
    private Answer<Boolean> refund() {
        Findings findings = first.findings();
        if (inquiry == null || findings == null) {
            return Answer.of(true);
        }
        List<Decision> spent = new ArrayList<>();
        add(spent, findings.together());
        for (int i = 0; i < inquiry.shadows.size(); i++) {
            add(spent, findings.shadow(i));
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

    /** Asks those limits that were not asked in the first stage, and answers for all. */
    private final class Remaining implements Decider.Asking {
        private final Inquiry whole;
        private final @Nullable HeldCharges late;

        Remaining(Inquiry whole) {
            this.whole = whole;
            this.late = whole.request.reportsStatus() ? HeldCharges.of(lateDemands()) : null;
        }

        private List<Demand> lateDemands() {
            return before() == null
                    ? whole.demands
                    : whole.demands.stream()
                            .filter(demand -> !early.contains(demand.limit()))
                            .toList();
        }

        private @Nullable Decision before() {
            Findings findings = first.findings();
            return findings == null ? null : findings.together();
        }

        /** What waits for the status of the response, of both stages. */
        List<HeldCharges> held() {
            return Stream.concat(first.held().stream(), Stream.ofNullable(late)).toList();
        }

        @Override
        public Answer<Decision> together(Inquiry asked) {
            Decision before = before();
            if (before == null) {
                return spend(asked.charges);
            }
            StagedCharges charges = StagedCharges.of(asked, early);
            return charges.late().isEmpty()
                    ? before
                    : Answers.map(spend(charges.late()), after -> charges.join(before, after));
        }

        private Answer<Decision> spend(List<Charge> charges) {
            return late == null
                    ? store.consume(charges, whole.failsSecure())
                    : store.reserve(late.id(), charges, Decider.STATUS_WAIT);
        }

        @Override
        public Answer<Decision> shadow(int place, List<Charge> charges) {
            PreparedLimit limit = whole.shadows.get(place).limit();
            Findings findings = first.findings();
            if (inquiry == null || findings == null || !early.contains(limit)) {
                return decider.check.shadow(place, charges);
            }
            for (int i = 0; i < inquiry.shadows.size(); i++) {
                Decision heard = findings.shadow(i);
                if (inquiry.shadows.get(i).limit() == limit && heard != null) {
                    return heard;
                }
            }
            return Promise.failed(new StoreException("a shadow limit was not heard", true, null));
        }
    }
}
