package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.engine.config.Rate;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.remote.Answers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Counts each charge by itself, also if it does not fit, as a counter does that is incremented and then compared with
 * the limit. Immutable.
 */
final class OverflowCounter {
    /*
     * A store never admits more than a policy allows, and a refusal spends nothing. So the counter of a limit of N is a
     * budget of N + 1: the last unit means "over the limit", and a count beyond it makes no difference.
     *
     *   cost fits, something is left ──► within the limit
     *   cost fits, nothing is left ────► the count is N + 1: over the limit
     *   cost does not fit ─────────────► over the limit; what is left is spent, so that the count is N + 1
     *
     * The last step is a second call of the store. Another charge may come between: then less is left, and the call is
     * repeated with that. The window may end between: then the budget lasts longer than before, and the charge, which
     * belongs to the ended window, is given back.
     */
    private final GuardedStore store;
    private final boolean readOnly;

    OverflowCounter(GuardedStore store, boolean readOnly) {
        this.store = store;
        this.readOnly = readOnly;
    }

    /** Counts all charges, each in a call of its own; the decision has a reading for each. */
    Answer<Decision> countEach(List<LimitCharges> limits, List<Charge> charges) {
        List<Answer<Decision>> answers = new ArrayList<>(charges.size());
        for (LimitCharges limit : limits) {
            for (int rate = 0; rate < limit.rates(); rate++) {
                Charge charge = charges.get(limit.first() + rate);
                answers.add(call(new Charge(charge.key(), counter(limit, rate), charge.cost())));
            }
        }
        return gather(answers, new ArrayList<>(), charges);
    }

    private static Policy counter(LimitCharges limit, int rate) {
        Policy policy = limit.row().policies().get(rate);
        Duration period = limit.row().windows().get(rate);
        return limit.limit()
                .rule
                .policies(List.of(Rate.per(period, policy.capacity() + 1)), null)
                .get(0);
    }

    private Answer<Decision> call(Charge charge) {
        return readOnly ? store.peek(List.of(charge)) : store.consume(List.of(charge), true);
    }

    private Answer<Decision> gather(List<Answer<Decision>> answers, List<Reading> readings, List<Charge> charges) {
        if (readings.size() == answers.size()) {
            return Answer.of(new SeparateDecision(charges, readings));
        }
        return Answers.then(answers.get(readings.size()), decision -> {
            Reading counted = decision.reading(0);
            readings.add(reading(counted, charges.get(readings.size()).cost()));
            return Answers.then(useUp(decision, counted), done -> gather(answers, readings, charges));
        });
    }

    /** The reading of a counter as one of its limit. A refusal has what was left before the charge. */
    private static Reading reading(Reading counted, long cost) {
        long remaining = Math.max(0, counted.remaining() - 1);
        Duration resetAfter = counted.resetAfter();
        if (counted instanceof Reading.Fits && counted.remaining() > 0) {
            return new Reading.Fits(remaining, resetAfter);
        }
        if (counted instanceof Reading.Admitted && counted.remaining() > 0) {
            return new Reading.Admitted(remaining, resetAfter);
        }
        long before = counted instanceof Reading.Admitted ? cost - 1 : remaining;
        return new Reading.Refused(before, resetAfter, resetAfter);
    }

    /** Spends what a charge that did not fit has left. */
    private Answer<Boolean> useUp(Decision decision, Reading counted) {
        boolean isOver = counted instanceof Reading.Refused || counted instanceof Reading.Impossible;
        if (readOnly || !isOver || counted.remaining() == 0) {
            return Answer.of(true);
        }
        Charge charge = decision.charges().get(0);
        Key key = charge.key();
        Charge rest = new Charge(key, charge.policy(), counted.remaining());
        return Answers.then(store.consume(List.of(rest), true), spent -> {
            Reading after = spent.reading(0);
            boolean hasEnded =
                    !counted.resetAfter().isZero() && after.resetAfter().compareTo(counted.resetAfter()) > 0;
            if (hasEnded) {
                return spent.admitted() ? store.giveBack(spent) : Answer.of(true);
            }
            return spent.admitted() ? Answer.of(true) : useUp(spent, after);
        });
    }

    /** A decision whose charges were decided one by one. */
    private record SeparateDecision(List<Charge> charges, List<Reading> all) implements Decision {
        SeparateDecision {
            charges = List.copyOf(charges);
            all = List.copyOf(all);
        }

        @Override
        public boolean admitted() {
            return all.stream().allMatch(one -> one instanceof Reading.Admitted || one instanceof Reading.Fits);
        }

        @Override
        public Reading reading(int index) {
            return Objects.requireNonNull(all.get(index));
        }

        @Override
        public long time() {
            return 0;
        }
    }
}
