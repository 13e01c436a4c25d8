package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Decides the charge groups of a request, with one call for each group.
 *
 * <p>Calls that spend run one after another, the outermost limit's first. When one refuses or fails, the groups charged
 * before it are refunded. A request therefore never admits more than the limits allow, but another request may be
 * refused for budget that is about to be refunded. Calls that only peek run in parallel.
 *
 * <p>Safe for use by several threads: the class has no mutable state.
 */
final class ChargeGroupDecider {
    private final ScriptedStore store;
    private final ScriptClient calls;

    ChargeGroupDecider(ScriptedStore store, ScriptClient calls) {
        this.store = store;
        this.calls = calls;
    }

    /**
     * The result of one group.
     *
     * @param spent whether the call spent anything new; for a peek, whether it would
     */
    record GroupResult(ChargeGroup group, Reply.Read read, boolean spent, ScriptedDecision.Part part) {}

    /** Charges the groups in order until one refuses; {@code undo} reverts a group charged before. */
    Answer<Decision> take(
            List<Charge> charges,
            List<ChargeGroup> groups,
            Function<ChargeGroup, Answer<GroupResult>> take,
            Consumer<GroupResult> undo) {
        if (groups.size() == 1) {
            return Answers.map(take.apply(groups.get(0)), step -> one(charges, step));
        }
        return next(charges, groups, List.of(), take, undo);
    }

    /**
     * Peeks at all groups in parallel and runs {@code next} if all would admit. A refusal by the peek therefore spends
     * nothing, not even temporarily.
     */
    Answer<Decision> peekFirst(
            List<Charge> charges,
            List<ChargeGroup> groups,
            Function<ChargeGroup, Answer<GroupResult>> look,
            Function<List<GroupResult>, Answer<Decision>> next) {
        return Answers.then(
                look(groups, look),
                seen -> allAdmit(seen) ? next.apply(seen) : Answer.of(decision(charges, seen, false)));
    }

    /** Peeks at all groups in parallel. */
    Answer<Decision> look(List<Charge> charges, List<ChargeGroup> groups) {
        return Answers.map(look(groups, this::peek), seen -> decision(charges, seen, allAdmit(seen)));
    }

    private Answer<List<GroupResult>> look(List<ChargeGroup> groups, Function<ChargeGroup, Answer<GroupResult>> look) {
        return collect(groups.stream().map(look).toList(), 0, List.of());
    }

    private Answer<List<GroupResult>> collect(List<Answer<GroupResult>> asked, int at, List<GroupResult> seen) {
        if (at == asked.size()) {
            return Answer.of(seen);
        }
        return Answers.then(asked.get(at), step -> {
            List<GroupResult> more = new ArrayList<>(seen);
            more.add(step);
            return collect(asked, at + 1, more);
        });
    }

    private static boolean allAdmit(List<GroupResult> steps) {
        return steps.stream().allMatch(step -> step.read.admitted());
    }

    private ScriptedDecision one(List<Charge> charges, GroupResult step) {
        return new ScriptedDecision(
                store,
                charges,
                Collections.unmodifiableList(step.read.readings()),
                step.read.admitted(),
                step.spent && step.read.admitted(),
                List.of(step.part));
    }

    private Answer<Decision> next(
            List<Charge> charges,
            List<ChargeGroup> groups,
            List<GroupResult> taken,
            Function<ChargeGroup, Answer<GroupResult>> take,
            Consumer<GroupResult> undo) {
        if (taken.size() == groups.size()) {
            return Answer.of(decision(charges, taken, true));
        }
        return Answers.then(
                take.apply(groups.get(taken.size())),
                step -> {
                    if (step.read.admitted()) {
                        List<GroupResult> more = new ArrayList<>(taken);
                        more.add(step);
                        return next(charges, groups, more, take, undo);
                    }
                    taken.forEach(undo);
                    return refused(charges, groups, step);
                },
                failure -> {
                    taken.forEach(undo);
                    return Promise.failed(failure);
                });
    }

    /** Combines the refusal with fresh readings of the other groups, after the refund. */
    private Answer<Decision> refused(List<Charge> charges, List<ChargeGroup> groups, GroupResult refusal) {
        return Answers.map(
                look(groups, group -> group.tag() == refusal.group.tag() ? Answer.of(refusal) : peek(group)),
                seen -> decision(charges, seen, allAdmit(seen)));
    }

    Answer<GroupResult> peek(ChargeGroup group) {
        return calls.ask(ScriptRequest.peek(group.charges()), reply -> {
            Reply.Read read = (Reply.Read) reply;
            return Answer.of(new GroupResult(group, read, false, ScriptedDecision.Part.of(group, read)));
        });
    }

    /** Combines the results of several calls into one decision. */
    private ScriptedDecision decision(List<Charge> charges, List<GroupResult> steps, boolean admitted) {
        Reading[] readings = new Reading[charges.size()];
        List<ScriptedDecision.Part> parts = new ArrayList<>();
        boolean spent = false;
        for (GroupResult step : steps) {
            parts.add(step.part);
            spent |= step.spent;
            for (int i = 0; i < step.group.charges().size(); i++) {
                int place =
                        step.group.places().isEmpty() ? i : step.group.places().get(i);
                readings[place] = step.read.readings().get(i);
            }
        }
        return new ScriptedDecision(store, charges, List.of(readings), admitted, admitted && spent, List.copyOf(parts));
    }
}
