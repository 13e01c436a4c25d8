package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.PackedMath;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One shard of the table, and the slow path to a key's state in it: every case that {@link Slots#update} does not
 * decide.
 *
 * <p>Safe for use by any number of threads.
 */
final class Shard {
    /*
     * The slow path is a loop around attempt(). Each attempt looks at the key's entry once and makes at most one
     * change. It returns ELSEWHERE if another thread changed something meanwhile, and the loop tries again. The cases
     * of the entry:
     * - with a state under the policy of the operation: the same compare-and-set loop as on the fast path;
     * - with a state under another policy: the state is frozen, converted so that what was spent stays spent, and
     *   thawed. Refunds and settlements change the state under the policy that it has;
     * - frozen or moved: the thread copies it and continues in the next generation;
     * - being converted by another thread: try again;
     * - absent, or with nothing spent: the budget begins here. A refusal changes nothing, so it does not add an entry.
     *
     * Budgets begin either here or in the ledger table, never in both. Once ledgers are in use, a thread that begins a
     * budget holds the key's lock and takes over what the key has spent in its ledger. Before that no lock is needed. A
     * thread that began a budget without the lock then checks whether the first ledger has appeared meanwhile. If so,
     * it withdraws its state and begins again with the lock. If other threads have changed that state already, it adds
     * to it what the ledger has spent.
     *
     * Shared budgets. When the largest generation has no room and its budgets are not full, new keys share SHARED
     * overflow budgets for each policy, chosen by the hash. So memory is bounded, no count is lost, and a shared budget
     * admits no more than that of one key. When there is room again, a key gets a budget of its own, and that begins
     * with what is spent from the shared one. Two threads may race here:
     * - a thread that spends from a shared budget checks afterwards whether the key has an entry of its own; if so, it
     *   gives back and tries again;
     * - a thread that adds a key's entry reads afterwards what is spent from the shared budget.
     *
     * As both write before they read, at least one sees the other. A key that has never spent from a shared budget
     * begins with a full one: SharedSpenders is the set of keys that may have.
     */
    /** The number of shared budgets for each policy. */
    static final int SHARED = 64;

    private static final long LATE = TimeUnit.MILLISECONDS.toNanos(2);
    /** Marks that nothing was spent. */
    private static final Reading NOTHING_SPENT = new Reading.Fits(0, Duration.ZERO);

    private final int index;
    private final Gauges gauges;
    private final LedgerTable ledgers;
    private final Generations generations;
    /** Null until the first key uses a shared budget. */
    private volatile @Nullable SharedSpenders spenders;

    Shard(int index, Gauges gauges, LedgerTable ledgers, Generations generations) {
        this.index = index;
        this.gauges = gauges;
        this.ledgers = ledgers;
        this.generations = generations;
    }

    /** The location of the key's entry, or {@link Place#NOWHERE}: for callers that cache it. */
    Place place(long word) {
        Slots slots = generations.current();
        int at = slots.find(word);
        return at >= 0 ? new Place(slots.words, at) : Place.NOWHERE;
    }

    /**
     * Applies an operation to the key's state, in whichever generation it is. Returns the result, which {@link Taken}
     * decodes.
     */
    long apply(Verb verb, long hash, Gauge gauge, long amount, Moment spent, long now) {
        return applySlowly(new Step(verb, hash, Slots.word(hash, gauge.id), gauge, amount, spent, now, false));
    }

    /** The amount that the key has spent under its present policy, in whole units. */
    long spent(long hash, long now) {
        return visit(
                hash,
                now,
                0L,
                (slots, at, state, gauge) -> slots.stateAt(at) == state ? Long.valueOf(gauge.spent(state, now)) : null);
    }

    /** Adjusts the amount that the key has spent, under its present policy; false if it has spent nothing. */
    boolean adjust(Verb verb, long hash, long amount, Moment spent, long now) {
        return visit(hash, now, false, (slots, at, state, gauge) -> {
            long next = verb.apply(gauge.packed(), state, amount, gauge.ticks(spent), gauge.ticks(now));
            return slots.casState(at, state, next) ? true : null;
        });
    }

    /** Evicts the key if its budget is full. */
    void forgetWhole(long hash, long now) {
        boolean unused = visit(hash, now, false, (slots, at, state, gauge) -> {
            if (!gauge.isForgettable(state, now)) {
                return slots.stateAt(at) == state ? false : null;
            }
            slots.raiseFloor(now);
            return slots.casState(at, state, Slots.FORGOTTEN) ? true : null;
        });
    }

    /** Resets the key's budget. */
    void reset(long hash, long now) {
        boolean unused = visit(hash, now, false, (slots, at, state, gauge) -> {
            slots.raiseFloor(now);
            return slots.casState(at, state, Slots.FORGOTTEN) ? true : null;
        });
    }

    /**
     * See {@link LedgerTable.Former#handOver}. The caller holds the key's lock, so that no other thread begins a new
     * state.
     */
    Reading handOver(long hash, long now, LedgerTable.Successor successor) {
        Reading first = visit(hash, now, NOTHING_SPENT, (slots, at, state, gauge) -> {
            if (!slots.freeze(at, state)) {
                return null;
            }
            long word = slots.wordAt(at);
            long thawed = gauge.notice(state, now);
            try {
                Reading reading = successor.takeOver(gauge.spent(state, now));
                thawed = reading instanceof Reading.Admitted ? Slots.FORGOTTEN : thawed;
                return reading;
            } finally {
                slots.thaw(at, word, thawed);
            }
        });
        return first == NOTHING_SPENT ? successor.takeOver(0) : first;
    }

    /** An operation on a state from which something is spent; returns null if the state has changed meanwhile. */
    private interface Visitor<R> {
        @Nullable
        R visit(Slots slots, int at, long state, Gauge gauge);
    }

    /**
     * Applies the visitor to the key's state until it returns a result; returns {@code absent} if there is no such
     * state.
     */
    private <R> R visit(long hash, long now, R absent, Visitor<R> visitor) {
        long word = Slots.word(hash, Gauge.NO_ID);
        while (true) {
            Slots slots = generations.current();
            generations.finish(slots, now);
            int at = slots.find(word);
            if (at == Slots.GONE) {
                continue;
            }
            // The state is read before the word, as in Slots.update.
            long state = at < 0 ? 0 : slots.stateAt(at);
            if (Slots.isUnspent(state)) {
                return absent;
            }
            R answer =
                    state < 0 ? null : visitor.visit(slots, at, state, gauges.byId(Slots.policyId(slots.wordAt(at))));
            if (answer != null) {
                return answer;
            }
            Thread.onSpinWait();
        }
    }

    /** The arguments of an operation on the slow path. */
    private record Step(
            Verb verb, long hash, long word, Gauge gauge, long amount, Moment spent, long now, boolean isShared) {
        long next(long state) {
            return verb.apply(gauge.packed(), state, amount, gauge.ticks(spent), gauge.ticks(now));
        }

        /** Whether it corrects an earlier spending. */
        boolean adjusts() {
            return verb == Verb.GIVE_BACK || verb == Verb.SPEND;
        }

        boolean beginsBudgets() {
            return verb == Verb.TAKE || verb == Verb.SPEND;
        }

        Step notBefore(long time) {
            return now >= time ? this : new Step(verb, hash, word, gauge, amount, spent, time, isShared);
        }
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // only so that the thread that converts this entry or opens a generation finishes
    private long applySlowly(Step step) {
        for (int tries = 0; ; tries++) {
            long result = attempt(generations.current(), step);
            if (result != Taken.ELSEWHERE) {
                return result;
            }
            if (tries > 8) {
                Thread.yield();
            }
        }
    }

    /** Returns 0 when something changed meanwhile and the attempt must be repeated. */
    private long attempt(Slots slots, Step step) {
        int at = slots.find(step.word);
        if (at == Slots.GONE) {
            generations.copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        if (at < 0) {
            return attemptUnspent(slots, at, step);
        }
        long state = slots.stateAt(at);
        if (Slots.isUnspent(state)) {
            return attemptUnspent(slots, at, step);
        }
        if (state < 0) {
            if ((state & Slots.CONVERTING) != 0) {
                return 0;
            }
            generations.copy(slots, at, step.now);
            generations.copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        long found = slots.wordAt(at);
        if (found != step.word) {
            return step.adjusts() && !beginsAnew(state, found, step)
                    ? adjustUnderOtherPolicy(slots, at, found, step)
                    : attemptUnderOtherPolicy(slots, at, state, step);
        }
        return Slots.update(
                slots.words,
                at,
                step.word,
                step.gauge.packed(),
                step.verb,
                step.amount,
                step.gauge.ticks(step.spent),
                step.gauge.ticks(step.now));
    }

    private long attemptInNext(Slots slots, Step step) {
        Slots next = slots.next;
        return next == null ? 0 : attempt(next, step);
    }

    /**
     * Applies the operation to a state that was written under another policy; what was spent stays spent. The entry is
     * frozen meanwhile, so one thread at a time does this. It goes back to its former state if nothing changes.
     */
    private long attemptUnderOtherPolicy(Slots slots, int at, long state, Step step) {
        // A converted state gets a new time, which must not be that of a delayed thread.
        if (step.verb == Verb.TAKE && gauges.clock().precise() - step.now > LATE) {
            return Taken.STALE;
        }
        if (!slots.freeze(at, state)) {
            return 0;
        }
        long thawedWord = slots.wordAt(at);
        long thawedState = state;
        try {
            Gauge gauge = gauges.byId(Slots.policyId(thawedWord));
            thawedState = gauge.notice(state, step.now);
            long converted = step.gauge.stateWith(gauge.spent(state, step.now), step.now);
            long next = step.next(converted);
            if (next < 0 || next == converted) {
                return Taken.left(converted);
            }
            thawedWord = step.word;
            thawedState = next;
            return next;
        } finally {
            slots.thaw(at, thawedWord, thawedState);
        }
    }

    /**
     * Whether the budget is full, which is equivalent to an absent key: further spending counts under the policy of the
     * operation.
     */
    private boolean beginsAnew(long state, long found, Step step) {
        return step.verb == Verb.SPEND && gauges.byId(Slots.policyId(found)).isForgettable(state, step.now);
    }

    /** Applies a settlement or refund under the policy that the key has now. */
    private long adjustUnderOtherPolicy(Slots slots, int at, long found, Step step) {
        Gauge gauge = gauges.byId(Slots.policyId(found));
        return Slots.update(
                slots.words,
                at,
                found,
                gauge.packed(),
                step.verb,
                step.amount,
                gauge.ticks(step.spent),
                gauge.ticks(step.now));
    }

    /**
     * Applies the operation to a key from which nothing is spent in this generation. {@code at} is the index of its
     * entry, or the complement of the index of an empty one. No other thread may begin a ledger for the key meanwhile,
     * so the key is locked once there are ledgers.
     */
    private long attemptUnspent(Slots slots, int at, Step step) {
        if (step.isShared || !ledgers.inUse()) {
            return at < 0 ? attemptAbsent(slots, ~at, step) : attemptFirst(slots, at, step);
        }
        synchronized (ledgers.lockOf(step.hash)) {
            return at < 0 ? attemptAbsent(slots, ~at, step) : attemptFirst(slots, at, step);
        }
    }

    private long attemptAbsent(Slots slots, int at, Step step) {
        if (slots.next != null) {
            if (!slots.close(at, slots.wordAt(at))) {
                return 0;
            }
            generations.copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        if (step.verb == Verb.GIVE_BACK && mayHaveShared(step)) {
            return applySlowly(sharedStep(step, Verb.GIVE_BACK, step.spent));
        }
        if (step.verb == Verb.TAKE && step.now < slots.floor()) {
            return Taken.STALE;
        }
        long unspent = unspent(step, step.isShared ? 0 : ledgers.spent(step.hash, step.now));
        // An operation that changes nothing adds no entry: a refusal must not make the table grow.
        if (!step.beginsBudgets() || step.next(unspent) == PackedMath.REFUSED) {
            return Taken.left(unspent);
        }
        if (!generations.takeRoom(slots, step.isShared)) {
            if (generations.makeRoom(slots, step.now)) {
                return 0;
            }
            return step.isShared ? exhausted(step) : applyToShared(step);
        }
        return slots.claim(at, step.word) ? attemptFirst(slots, at, step) : 0;
    }

    /** Without room even for a shared budget nothing can be counted, so nothing is admitted. */
    private static long exhausted(Step step) {
        return Taken.left(step.gauge.stateWith(step.gauge.meter.policy().capacity(), step.now));
    }

    /** Makes the first change of an entry's state in its generation. */
    private long attemptFirst(Slots slots, int at, Step step) {
        if (step.verb == Verb.TAKE && step.now < slots.floor()) {
            return Taken.STALE;
        }
        Step present = step.notBefore(slots.floor());
        if (step.isShared) {
            return begin(slots, at, present, step.gauge.fresh);
        }
        Object lock = ledgers.lockOf(step.hash);
        if (Thread.holdsLock(lock)) {
            return ledgers.handOver(step.hash, present.now, (spent, time) -> {
                if (step.verb == Verb.TAKE && present.now < time) {
                    return Taken.STALE;
                }
                Step late = present.notBefore(time);
                return begin(slots, at, late, unspent(late, spent));
            });
        }
        long result = ledgers.inUse() ? 0 : begin(slots, at, present, unspent(present, 0));
        boolean hasBegun = Taken.isState(result);
        // The store's first ledger may have begun meanwhile, perhaps for this key: then try again, with the lock.
        return hasBegun && ledgers.inUse() && withdraw(slots, at, result, present) ? 0 : result;
    }

    /**
     * Withdraws the first state. If other threads have changed it already, what the ledger has spent is added to it
     * instead.
     */
    private boolean withdraw(Slots slots, int at, long state, Step step) {
        boolean isOurs = slots.casState(at, state, Slots.FORGOTTEN);
        if (!isOurs) {
            synchronized (ledgers.lockOf(step.hash)) {
                long unused = ledgers.handOver(step.hash, step.now, (spent, time) -> {
                    boolean joined = adjust(Verb.SPEND, step.hash, spent, Moment.NONE, step.now);
                    return joined ? 1 : 0;
                });
            }
        }
        return isOurs;
    }

    private static long begin(Slots slots, int at, Step step, long unspent) {
        long next = step.beginsBudgets() ? step.next(unspent) : PackedMath.REFUSED;
        if (next == PackedMath.REFUSED) {
            return Taken.left(unspent);
        }
        return write(slots, at, step.word, next) ? next : 0;
    }

    /** Writes the first state of an entry with this word; false if another thread was faster. */
    private static boolean write(Slots slots, int at, long word, long state) {
        long before = slots.stateAt(at);
        if (!Slots.isUnspent(before)) {
            return false;
        }
        if (slots.wordAt(at) == word) {
            return slots.casState(at, before, state);
        }
        boolean isOurs = slots.freeze(at, before);
        if (isOurs) {
            slots.thaw(at, word, state);
        }
        return isOurs;
    }

    /** The state with which a key begins: nothing spent, except what its ledger or its shared budget has spent. */
    private long unspent(Step step, long spentInLedger) {
        Gauge gauge = step.gauge;
        if (step.isShared) {
            return gauge.fresh;
        }
        long own = gauge.stateWith(spentInLedger, step.now);
        if (!mayHaveShared(step)) {
            return own;
        }
        long shared = Taken.state(applySlowly(sharedStep(step, Verb.LOOK, Moment.NONE)));
        return gauge.isWhole(shared, step.now) ? own : shared;
    }

    /** Whether the key may have spent from its shared budget while the table had no room. */
    private boolean mayHaveShared(Step step) {
        SharedSpenders known = spenders;
        return known != null && !step.isShared && known.mayHave(step.hash);
    }

    private SharedSpenders spenders() {
        SharedSpenders known = spenders;
        if (known == null) {
            synchronized (this) {
                known = spenders;
                if (known == null) {
                    known = new SharedSpenders(generations.maxKeys());
                    spenders = known;
                }
            }
        }
        return known;
    }

    private Step sharedStep(Step step, Verb verb, Moment spent) {
        // The multiplication spreads the few bits that differ over the word; the low bits keep the key in this shard.
        long bucket = Long.remainderUnsigned(step.hash >>> 10, SHARED);
        long hash = (((bucket * 0x9E3779B97F4A7C15L) ^ (step.gauge.id * 0xC2B2AE3D27D4EB4FL)) & ~0x3FFL) | index;
        return new Step(verb, hash, Slots.word(hash, step.gauge.id), step.gauge, step.amount, spent, step.now, true);
    }

    private long applyToShared(Step step) {
        long seen = Taken.state(applySlowly(sharedStep(step, Verb.LOOK, Moment.NONE)));
        if (step.next(seen) == PackedMath.REFUSED) {
            return Taken.left(seen);
        }
        spenders().add(step.hash, step.now, step.gauge.refilledAt(step.now));
        long result = applySlowly(sharedStep(step, step.verb, step.spent));
        VarHandle.fullFence();
        if (Taken.isTaken(result) && isPresent(step)) {
            Moment justNow = new Moment(step.now, step.gauge.ticks(step.now));
            applySlowly(sharedStep(step, Verb.GIVE_BACK, justNow));
            return 0;
        }
        return result;
    }

    private boolean isPresent(Step step) {
        Slots first;
        do {
            first = generations.current();
            for (Slots slots = first; slots != null; slots = slots.next) {
                if (slots.find(step.word) >= 0) {
                    return true;
                }
            }
            // A generation that was replaced meanwhile has no reference to the next one.
        } while (first != generations.current());
        return false;
    }
}
