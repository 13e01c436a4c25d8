package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.engine.config.Rate;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.MissingKey;
import dev.weir.engine.plan.Plan;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several requests that are decided as one; {@link Weir#checkTogether} makes it. For one thread. */
public final class CombinedCheck {
    private final GuardedStore store;
    private final Decider decider;
    private final Counting counting;
    /** Null for a part to which no limit applies. */
    private final List<@Nullable PreparedRequest> prepared = new ArrayList<>();

    private final List<Part> parts;
    private final Group spending = new Group();
    private final Group reading = new Group();

    CombinedCheck(GuardedStore store, Decider decider, Counting counting, List<Part> parts, Plan plan) {
        this.store = store;
        this.decider = decider;
        this.counting = counting;
        this.parts = List.copyOf(parts);
        for (Part part : parts) {
            PreparedRequest own = part.limit == null
                    ? plan.prepare(part.request, false)
                    : plan.prepareOnly(part.request, part.limit, part.rate);
            prepared.add(own);
            if (own != null) {
                (part.readOnly ? reading : spending).members.add(own);
            }
        }
    }

    /**
     * One of the requests.
     *
     * @param request its attributes and its cost
     * @param limit the name of the only limit that decides it; null for every limit that matches
     * @param rate the rate in place of the named limit's own, with counts of its own; null for the limit's own
     * @param readOnly whether it spends nothing and refuses nothing
     */
    public record Part(
            Request request,
            @Nullable String limit,
            @Nullable Rate rate,
            boolean readOnly) {}

    /** Whether a refused part is counted. */
    public enum Counting {
        /** All parts spend, or none does. */
        ALL_OR_NOTHING,
        /**
         * Each part spends by itself, whatever becomes of the others. One that does not fit uses up what is left, so
         * that its window stays exhausted. For limits with one rate in windows.
         */
        EACH_ALWAYS
    }

    /**
     * The result.
     *
     * @param outcome of all parts together
     * @param limits the results of the limits of each part, in the order of the parts; empty for a part to which none
     *     applies, and for all parts if the store did not answer
     */
    public record Result(Outcome outcome, List<List<LimitResult>> limits) {
        public Result {
            limits = List.copyOf(limits);
        }
    }

    boolean appliesNone() {
        return spending.members.isEmpty() && reading.members.isEmpty();
    }

    Answer<Outcome> decide() {
        if (reading.members.isEmpty()) {
            return decideSpending();
        }
        Answer<Outcome> read = reading.decide(decider.peek);
        return spending.members.isEmpty() ? read : Answers.then(read, seen -> decideSpending());
    }

    private Answer<Outcome> decideSpending() {
        return spending.decide(decider.check);
    }

    Result result(Outcome outcome) {
        List<List<LimitResult>> limits = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            PreparedRequest own = prepared.get(i);
            limits.add(own == null ? List.of() : (parts.get(i).readOnly ? reading : spending).resultsOf(own));
        }
        return new Result(outcome, limits);
    }

    /** The parts that spend, or those that only read. */
    private final class Group {
        private final List<PreparedRequest> members = new ArrayList<>();
        private @Nullable LimitResults decided;

        Answer<Outcome> decide(Decider.DecisionMode usual) {
            PreparedRequest all = PreparedRequest.joined(members);
            return decider.decide(all, mode(all, usual));
        }

        private Decider.DecisionMode mode(PreparedRequest all, Decider.DecisionMode usual) {
            boolean isSeparate = counting == Counting.EACH_ALWAYS;
            OverflowCounter counter = new OverflowCounter(store, usual.readOnly());
            return new Decider.DecisionMode() {
                @Override
                public Answer<Decision> decideAll(PreparedRequest joined) {
                    return isSeparate
                            ? counter.countEach(joined.chargesByLimit(), joined.charges())
                            : usual.decideAll(joined);
                }

                @Override
                public Answer<Decision> shadow(int place, List<Charge> charges) {
                    return isSeparate
                            ? counter.countEach(List.of(all.shadows().get(place)), charges)
                            : usual.shadow(place, charges);
                }

                @Override
                public boolean countsRefused() {
                    return isSeparate;
                }

                @Override
                public void decided(LimitResults results) {
                    decided = results;
                }

                @Override
                public boolean readOnly() {
                    return usual.readOnly();
                }

                @Override
                public boolean reports() {
                    return usual.reports();
                }
            };
        }

        List<LimitResult> resultsOf(PreparedRequest member) {
            List<LimitResult> own = new ArrayList<>();
            LimitResults all = decided;
            if (all != null) {
                addDecided(own, all, member);
            }
            for (MissingKey missing : member.missing()) {
                own.add(missing.result());
            }
            return List.copyOf(own);
        }

        private void addDecided(List<LimitResult> own, LimitResults all, PreparedRequest member) {
            int enforced = 0;
            int shadow = 0;
            for (PreparedRequest other : members) {
                if (other == member) {
                    break;
                }
                enforced += other.chargesByLimit().size();
                shadow += other.shadows().size();
            }
            for (int i = 0; i < member.chargesByLimit().size(); i++) {
                own.add(all.enforced(enforced + i));
            }
            for (int i = 0; i < member.shadows().size(); i++) {
                LimitResult result = all.shadowed(shadow + i);
                if (result != null) {
                    own.add(result);
                }
            }
        }
    }
}
