package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Settlement;
import dev.weir.StoreArguments;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.store.scripted.KeyNames.RecordKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Reservations and leases: charges that are held under an id.
 *
 * <p>Every hold has a record under the same tag as its keys. The script reads and writes the record and the budgets in
 * one atomic call. States:
 *
 * <ul>
 *   <li>Reservation: absent, open (by {@code reserve}), closed (by {@code settle} or {@code cancel}), absent. A closed
 *       record stays for at most a minute, so that a second close returns {@link Settlement#ALREADY_CLOSED}. An open
 *       reservation expires at the end of its time to live, and its charges stay spent.
 *   <li>Lease: absent, held (by {@code acquire}), renewed any number of times, then released or expired. A lease that
 *       has lost one of its slots is released completely, so that no lease stays held in part.
 * </ul>
 *
 * <p>On an unpartitioned backend one call makes each transition. On a partitioned backend a hold over several tags has
 * one record for each tag, and {@link HoldLocator} stores which tags. These rules keep the records consistent without a
 * transaction over several tags:
 *
 * <ul>
 *   <li>The directory is written before the first record and expires after the last one. If any record exists, all can
 *       be found.
 *   <li>A new hold peeks first, so that a refusal writes nothing. If a later call refuses or fails, the earlier calls
 *       are undone.
 *   <li>The record of the first tag decides a transition: {@code settle}, {@code cancel} and {@code prolong} change it
 *       first, and the other tags only if it changed. Of two concurrent closes therefore one wins for all tags.
 *   <li>Repeating {@code reserve} with the id of an open reservation spends nothing and returns its readings. With
 *       other keys it is a misuse.
 * </ul>
 *
 * <p>Safe for use by several threads: the class has no mutable state of its own.
 */
final class ScriptedHolds {
    /** A text that equals no scope, because escaped scopes have no control characters. */
    private static final String NO_SCOPE = "\n";

    private final KeyNames names;
    private final ScriptClient calls;
    private final ChargeGroupDecider steps;
    private final HoldLocator directory;

    ScriptedHolds(HoldLocator directory, KeyNames names, ScriptClient calls, ChargeGroupDecider steps) {
        this.names = names;
        this.calls = calls;
        this.steps = steps;
        this.directory = directory;
    }

    Answer<Decision> reserve(String id, List<Charge> charges, List<ChargeGroup> groups, long ttlMicros) {
        Function<ChargeGroup, KeyName> record = group -> record(RecordKind.RESERVATION, id, group);
        return hold(
                new HoldRequest(id, charges, groups, ttlMicros, false),
                group -> reserve(
                        ScriptRequest.reserve(
                                ScriptCommand.LOOK_AT_RESERVE, record.apply(group), group.charges(), ttlMicros),
                        group,
                        id),
                group -> reserve(
                        ScriptRequest.reserve(ScriptCommand.RESERVE, record.apply(group), group.charges(), ttlMicros),
                        group,
                        id),
                step -> undoReservation(step.part()));
    }

    private Answer<ChargeGroupDecider.GroupResult> reserve(ScriptRequest request, ChargeGroup group, String id) {
        return calls.ask(request, reply -> {
            if (reply instanceof Reply.OtherKeys) {
                return otherKeys(id);
            }
            Reply.Reserved reserved = (Reply.Reserved) reply;
            return Answer.of(new ChargeGroupDecider.GroupResult(
                    group,
                    reserved.read(),
                    true,
                    new ScriptedDecision.Part(
                            group.charges(),
                            reserved.read(),
                            record(RecordKind.RESERVATION, id, group),
                            reserved.reservedAt())));
        });
    }

    /**
     * A request to hold charges under an id.
     *
     * @param renews whether repeating the request extends the time to live
     */
    private record HoldRequest(
            String id, List<Charge> charges, List<ChargeGroup> groups, long ttlMicros, boolean renews) {}

    /**
     * Takes the hold. On a partitioned backend, first peeks, because a refusal must write nothing, and writes the
     * directory entry before the records.
     */
    private Answer<Decision> hold(
            HoldRequest hold,
            Function<ChargeGroup, Answer<ChargeGroupDecider.GroupResult>> look,
            Function<ChargeGroup, Answer<ChargeGroupDecider.GroupResult>> take,
            Consumer<ChargeGroupDecider.GroupResult> undo) {
        if (!directory.isNeeded()) {
            return steps.take(hold.charges, hold.groups, take, undo);
        }
        Supplier<Answer<Decision>> takeAll = () -> steps.take(hold.charges, hold.groups, take, undo);
        Supplier<Answer<Decision>> takeNew = () -> directory.written(hold.id, hold.groups, hold.ttlMicros, takeAll);
        if (hold.renews) {
            return steps.peekFirst(
                    hold.charges,
                    hold.groups,
                    look,
                    seen -> seen.stream().allMatch(ScriptedHolds::isNew)
                            ? takeNew.get()
                            : directory.renewed(hold.id, hold.ttlMicros, places -> takeAll.get()));
        }
        Answer<List<HoldLocator.HoldLocation>> noted = directory.noted(hold.id);
        return steps.peekFirst(
                hold.charges,
                hold.groups,
                look,
                seen -> Answers.then(Answers.then(noted, places -> isElsewhere(hold, places)), elsewhere -> {
                    if (!elsewhere && seen.stream().allMatch(ScriptedHolds::isNew)) {
                        return takeNew.get();
                    }
                    return elsewhere || seen.stream().anyMatch(ScriptedHolds::isNew)
                            ? otherKeys(hold.id)
                            : takeAll.get();
                }));
    }

    /** Whether the id belongs to a reservation whose keys have other tags than the requested ones. */
    private Answer<Boolean> isElsewhere(HoldRequest hold, List<HoldLocator.HoldLocation> places) {
        Set<Integer> asked = hold.groups.stream().map(ChargeGroup::tag).collect(Collectors.toSet());
        Set<Integer> known = places.stream().map(HoldLocator.HoldLocation::tag).collect(Collectors.toSet());
        if (known.isEmpty() || known.equals(asked)) {
            return Answer.of(false);
        }
        KeyName record =
                names.record(RecordKind.RESERVATION, hold.id, places.get(0).tag());
        // Settling an unknown scope changes nothing. The reply shows whether the reservation is open, closed or absent.
        return calls.ask(
                ScriptRequest.settle(record, Map.of(NO_SCOPE, 0L)),
                reply -> Answer.of(!(reply instanceof Reply.OutcomeCode code) || code.number() != 0));
    }

    private static <T> Answer<T> otherKeys(String id) {
        return Promise.misuse(StoreArguments.otherKeys(id));
    }

    private static boolean isNew(ChargeGroupDecider.GroupResult seen) {
        return seen.spent() && seen.part().reservedAt() == 0;
    }

    private void undoReservation(ScriptedDecision.Part part) {
        KeyName record = part.record();
        if (record != null) {
            Answer<Boolean> unused =
                    calls.ask(ScriptRequest.cancel(record, part.reservedAt(), true), reply -> Answer.of(true));
        }
    }

    Answer<Settlement> settle(String id, Map<String, Long> costs) {
        Map<String, Long> byScope = new HashMap<>();
        costs.forEach((scope, cost) -> byScope.put(KeyNames.escaped(scope), cost));
        return directory.found(
                id,
                places -> close(
                        places,
                        place -> ScriptRequest.settle(
                                names.record(RecordKind.RESERVATION, id, place.tag()),
                                place.concerned(byScope, places))));
    }

    Answer<Settlement> cancel(String id) {
        return directory.found(
                id,
                places -> close(
                        places,
                        place ->
                                ScriptRequest.cancel(names.record(RecordKind.RESERVATION, id, place.tag()), 0, false)));
    }

    /** Closes the record of the first tag; if that was open, also the records of the other tags. */
    private Answer<Settlement> close(
            List<HoldLocator.HoldLocation> places, Function<HoldLocator.HoldLocation, ScriptRequest> request) {
        return Answers.then(
                closeOne(request.apply(places.get(0))),
                outcome -> outcome == Settlement.DONE
                        ? all(places, 1, place -> Answers.map(closeOne(request.apply(place)), other -> true), outcome)
                        : Answer.of(outcome));
    }

    private Answer<Settlement> closeOne(ScriptRequest request) {
        return calls.ask(request, reply -> {
            if (reply instanceof Reply.NotReserved missing) {
                return Promise.misuse(StoreArguments.notReserved(missing.scope()));
            }
            return Answer.of(
                    switch (((Reply.OutcomeCode) reply).number()) {
                        case 1 -> Settlement.DONE;
                        case 2 -> Settlement.ALREADY_CLOSED;
                        default -> Settlement.UNKNOWN;
                    });
        });
    }

    /**
     * Extends the record of the first tag; if that was open, also the directory entry and the other records. The
     * directory entry of a closed reservation stays unchanged, as it must not expire before the records.
     */
    Answer<Boolean> prolong(String id, long ttlMicros) {
        Function<HoldLocator.HoldLocation, Answer<Boolean>> prolong = place -> isTrue(ScriptRequest.until(
                ScriptCommand.PROLONG, names.record(RecordKind.RESERVATION, id, place.tag()), ttlMicros));
        return directory.found(
                id,
                places -> Answers.then(
                        prolong.apply(places.get(0)),
                        open -> open
                                ? directory.renewed(id, ttlMicros, same -> all(places, 1, prolong, true))
                                : Answer.of(false)));
    }

    Answer<Decision> acquire(String id, List<Charge> charges, List<ChargeGroup> groups, long ttlMicros) {
        String lease = KeyNames.escaped(id);
        Function<ChargeGroup, KeyName> record = group -> record(RecordKind.LEASE, id, group);
        return hold(
                new HoldRequest(id, charges, groups, ttlMicros, true),
                group -> acquire(
                        ScriptRequest.acquire(
                                ScriptCommand.LOOK_AT_ACQUIRE, record.apply(group), lease, group.charges(), ttlMicros),
                        group),
                group -> acquire(
                        ScriptRequest.acquire(
                                ScriptCommand.ACQUIRE, record.apply(group), lease, group.charges(), ttlMicros),
                        group),
                step -> undoLease(id, step));
    }

    private Answer<ChargeGroupDecider.GroupResult> acquire(ScriptRequest request, ChargeGroup group) {
        return calls.ask(request, reply -> {
            Reply.Leased leased = (Reply.Leased) reply;
            return Answer.of(new ChargeGroupDecider.GroupResult(
                    group, leased.read(), !leased.before(), ScriptedDecision.Part.of(group, leased.read())));
        });
    }

    private void undoLease(String id, ChargeGroupDecider.GroupResult step) {
        if (step.spent()) {
            Answer<Boolean> unused = isTrue(ScriptRequest.release(record(RecordKind.LEASE, id, step.group())));
            Answer<Boolean> unusedToo = isTrue(
                    ScriptRequest.giveBack(step.group().charges(), step.part().read()));
        }
    }

    Answer<Boolean> renew(String id, long ttlMicros) {
        return directory.renewed(
                id,
                ttlMicros,
                places -> Answers.then(
                        holdsAll(id, places, 0, ttlMicros),
                        all -> all ? Answer.of(true) : Answers.map(release(id, places, 0, false), released -> false)));
    }

    private Answer<Boolean> holdsAll(String id, List<HoldLocator.HoldLocation> places, int at, long ttlMicros) {
        if (at == places.size()) {
            return Answer.of(true);
        }
        return Answers.then(
                isTrue(ScriptRequest.until(
                        ScriptCommand.RENEW,
                        names.record(RecordKind.LEASE, id, places.get(at).tag()),
                        ttlMicros)),
                held -> held ? holdsAll(id, places, at + 1, ttlMicros) : Answer.of(false));
    }

    Answer<Boolean> release(String id) {
        return directory.found(id, places -> release(id, places, 0, false));
    }

    private Answer<Boolean> release(String id, List<HoldLocator.HoldLocation> places, int at, boolean any) {
        if (at == places.size()) {
            return Answer.of(any);
        }
        return Answers.then(
                isTrue(ScriptRequest.release(
                        names.record(RecordKind.LEASE, id, places.get(at).tag()))),
                held -> release(id, places, at + 1, any || held));
    }

    private Answer<Boolean> isTrue(ScriptRequest request) {
        return calls.ask(request, reply -> Answer.of(((Reply.OutcomeCode) reply).number() == 1));
    }

    /** Applies a step to every location from index {@code at} on, one after another, then returns {@code answer}. */
    private static <T> Answer<T> all(
            List<HoldLocator.HoldLocation> places,
            int at,
            Function<HoldLocator.HoldLocation, Answer<Boolean>> each,
            T answer) {
        if (at == places.size()) {
            return Answer.of(answer);
        }
        return Answers.then(each.apply(places.get(at)), done -> all(places, at + 1, each, answer));
    }

    /** The name of a record. On an unpartitioned backend an id has one record, whatever the tags of its keys. */
    private KeyName record(RecordKind kind, String id, ChargeGroup group) {
        return names.record(kind, id, directory.isNeeded() ? group.tag() : KeyNames.tag(id));
    }
}
