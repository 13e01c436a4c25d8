package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.PackedMath;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One shard of the table, and the slow path to a key's state in it: every case that {@link TableGeneration#update} does not
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
    private final PolicyRegistry policyRegistry;
    private final LedgerTable ledgers;
    private final Generations generations;
    /** Null until the first key uses a shared budget. */
    private volatile @Nullable SharedSpenders spenders;

    Shard(int index, PolicyRegistry policyRegistry, LedgerTable ledgers, Generations generations) {
        this.index = index;
        this.policyRegistry = policyRegistry;
        this.ledgers = ledgers;
        this.generations = generations;
    }

    /** The location of the key's entry, or {@link EntryLocation#NOWHERE}: for callers that cache it. */
    EntryLocation place(long word) {
        TableGeneration slots = generations.current();
        int at = slots.find(word);
        return at >= 0 ? new EntryLocation(slots.words, at) : EntryLocation.NOWHERE;
    }

    /**
     * Applies an operation to the key's state, in whichever generation it is. Returns the result, which {@link PackedResult}
     * decodes.
     */
    long apply(PackedOperation verb, long hash, BoundPolicy boundPolicy, long amount, DecisionTime spent, long now) {
        return applySlowly(new SlowPathOperation(
                verb, hash, TableGeneration.word(hash, boundPolicy.id), boundPolicy, amount, spent, now, false));
    }

    /** The amount that the key has spent under its present policy, in whole units. */
    long spent(long hash, long now) {
        return visit(
                hash,
                now,
                0L,
                (slots, at, state, boundPolicy) ->
                        slots.stateAt(at) == state ? Long.valueOf(boundPolicy.spent(state, now)) : null);
    }

    /** Adjusts the amount that the key has spent, under its present policy; false if it has spent nothing. */
    boolean adjust(PackedOperation verb, long hash, long amount, DecisionTime spent, long now) {
        return visit(hash, now, false, (slots, at, state, boundPolicy) -> {
            long next =
                    verb.apply(boundPolicy.packed(), state, amount, boundPolicy.ticks(spent), boundPolicy.ticks(now));
            return slots.casState(at, state, next) ? true : null;
        });
    }

    /** Evicts the key if its budget is full. */
    void forgetWhole(long hash, long now) {
        boolean unused = visit(hash, now, false, (slots, at, state, boundPolicy) -> {
            if (!boundPolicy.isEvictable(state, now)) {
                return slots.stateAt(at) == state ? false : null;
            }
            slots.raiseFloor(now);
            return slots.casState(at, state, TableGeneration.EVICTED) ? true : null;
        });
    }

    /** Resets the key's budget. */
    void reset(long hash, long now) {
        boolean unused = visit(hash, now, false, (slots, at, state, boundPolicy) -> {
            slots.raiseFloor(now);
            return slots.casState(at, state, TableGeneration.EVICTED) ? true : null;
        });
    }

    /**
     * See {@link LedgerTable.PackedPredecessor#transfer}. The caller holds the key's lock, so that no other thread begins a new
     * state.
     */
    Reading transfer(long hash, long now, LedgerTable.Successor successor) {
        Reading first = visit(hash, now, NOTHING_SPENT, (slots, at, state, boundPolicy) -> {
            if (!slots.freeze(at, state)) {
                return null;
            }
            long word = slots.wordAt(at);
            long thawed = boundPolicy.notice(state, now);
            try {
                Reading reading = successor.takeOver(boundPolicy.spent(state, now));
                thawed = reading instanceof Reading.Admitted ? TableGeneration.EVICTED : thawed;
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
        R visit(TableGeneration slots, int at, long state, BoundPolicy boundPolicy);
    }

    /**
     * Applies the visitor to the key's state until it returns a result; returns {@code absent} if there is no such
     * state.
     */
    private <R> R visit(long hash, long now, R absent, Visitor<R> visitor) {
        long word = TableGeneration.word(hash, BoundPolicy.NO_ID);
        while (true) {
            TableGeneration slots = generations.current();
            generations.finish(slots, now);
            int at = slots.find(word);
            if (at == TableGeneration.GONE) {
                continue;
            }
            // The state is read before the word, as in TableGeneration.update.
            long state = at < 0 ? 0 : slots.stateAt(at);
            if (TableGeneration.isUnspent(state)) {
                return absent;
            }
            R answer = state < 0
                    ? null
                    : visitor.visit(slots, at, state, policyRegistry.byId(TableGeneration.policyId(slots.wordAt(at))));
            if (answer != null) {
                return answer;
            }
            Thread.onSpinWait();
        }
    }

    /** The arguments of an operation on the slow path. */
    private record SlowPathOperation(
            PackedOperation verb,
            long hash,
            long word,
            BoundPolicy boundPolicy,
            long amount,
            DecisionTime spent,
            long now,
            boolean isShared) {
        long next(long state) {
            return verb.apply(boundPolicy.packed(), state, amount, boundPolicy.ticks(spent), boundPolicy.ticks(now));
        }

        /** Whether it corrects an earlier spending. */
        boolean adjusts() {
            return verb == PackedOperation.GIVE_BACK || verb == PackedOperation.SPEND;
        }

        boolean beginsBudgets() {
            return verb == PackedOperation.TAKE || verb == PackedOperation.SPEND;
        }

        SlowPathOperation notBefore(long time) {
            return now >= time
                    ? this
                    : new SlowPathOperation(verb, hash, word, boundPolicy, amount, spent, time, isShared);
        }
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // only so that the thread that converts this entry or opens a generation finishes
    private long applySlowly(SlowPathOperation step) {
        for (int tries = 0; ; tries++) {
            long result = attempt(generations.current(), step);
            if (result != PackedResult.ELSEWHERE) {
                return result;
            }
            if (tries > 8) {
                Thread.yield();
            }
        }
    }

    /** Returns 0 when something changed meanwhile and the attempt must be repeated. */
    private long attempt(TableGeneration slots, SlowPathOperation step) {
        int at = slots.find(step.word);
        if (at == TableGeneration.GONE) {
            generations.copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        if (at < 0) {
            return attemptUnspent(slots, at, step);
        }
        long state = slots.stateAt(at);
        if (TableGeneration.isUnspent(state)) {
            return attemptUnspent(slots, at, step);
        }
        if (state < 0) {
            if ((state & TableGeneration.CONVERTING) != 0) {
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
        return TableGeneration.update(
                slots.words,
                at,
                step.word,
                step.boundPolicy.packed(),
                step.verb,
                step.amount,
                step.boundPolicy.ticks(step.spent),
                step.boundPolicy.ticks(step.now));
    }

    private long attemptInNext(TableGeneration slots, SlowPathOperation step) {
        TableGeneration next = slots.next;
        return next == null ? 0 : attempt(next, step);
    }

    /**
     * Applies the operation to a state that was written under another policy; what was spent stays spent. The entry is
     * frozen meanwhile, so one thread at a time does this. It goes back to its former state if nothing changes.
     */
    private long attemptUnderOtherPolicy(TableGeneration slots, int at, long state, SlowPathOperation step) {
        // A converted state gets a new time, which must not be that of a delayed thread.
        if (step.verb == PackedOperation.TAKE && policyRegistry.clock().precise() - step.now > LATE) {
            return PackedResult.STALE;
        }
        if (!slots.freeze(at, state)) {
            return 0;
        }
        long thawedWord = slots.wordAt(at);
        long thawedState = state;
        try {
            BoundPolicy boundPolicy = policyRegistry.byId(TableGeneration.policyId(thawedWord));
            thawedState = boundPolicy.notice(state, step.now);
            long converted = step.boundPolicy.stateWith(boundPolicy.spent(state, step.now), step.now);
            long next = step.next(converted);
            if (next < 0 || next == converted) {
                return PackedResult.left(converted);
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
    private boolean beginsAnew(long state, long found, SlowPathOperation step) {
        return step.verb == PackedOperation.SPEND
                && policyRegistry.byId(TableGeneration.policyId(found)).isEvictable(state, step.now);
    }

    /** Applies a settlement or refund under the policy that the key has now. */
    private long adjustUnderOtherPolicy(TableGeneration slots, int at, long found, SlowPathOperation step) {
        BoundPolicy boundPolicy = policyRegistry.byId(TableGeneration.policyId(found));
        return TableGeneration.update(
                slots.words,
                at,
                found,
                boundPolicy.packed(),
                step.verb,
                step.amount,
                boundPolicy.ticks(step.spent),
                boundPolicy.ticks(step.now));
    }

    /**
     * Applies the operation to a key from which nothing is spent in this generation. {@code at} is the index of its
     * entry, or the complement of the index of an empty one. No other thread may begin a ledger for the key meanwhile,
     * so the key is locked once there are ledgers.
     */
    private long attemptUnspent(TableGeneration slots, int at, SlowPathOperation step) {
        if (step.isShared || !ledgers.inUse()) {
            return at < 0 ? attemptAbsent(slots, ~at, step) : attemptFirst(slots, at, step);
        }
        synchronized (ledgers.lockOf(step.hash)) {
            return at < 0 ? attemptAbsent(slots, ~at, step) : attemptFirst(slots, at, step);
        }
    }

    private long attemptAbsent(TableGeneration slots, int at, SlowPathOperation step) {
        if (slots.next != null) {
            if (!slots.close(at, slots.wordAt(at))) {
                return 0;
            }
            generations.copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        if (step.verb == PackedOperation.GIVE_BACK && mayHaveShared(step)) {
            return applySlowly(sharedStep(step, PackedOperation.GIVE_BACK, step.spent));
        }
        if (step.verb == PackedOperation.TAKE && step.now < slots.floor()) {
            return PackedResult.STALE;
        }
        long unspent = unspent(step, step.isShared ? 0 : ledgers.spent(step.hash, step.now));
        // An operation that changes nothing adds no entry: a refusal must not make the table grow.
        if (!step.beginsBudgets() || step.next(unspent) == PackedMath.REFUSED) {
            return PackedResult.left(unspent);
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
    private static long exhausted(SlowPathOperation step) {
        return PackedResult.left(
                step.boundPolicy.stateWith(step.boundPolicy.model.policy().capacity(), step.now));
    }

    /** Makes the first change of an entry's state in its generation. */
    private long attemptFirst(TableGeneration slots, int at, SlowPathOperation step) {
        if (step.verb == PackedOperation.TAKE && step.now < slots.floor()) {
            return PackedResult.STALE;
        }
        SlowPathOperation present = step.notBefore(slots.floor());
        if (step.isShared) {
            return begin(slots, at, present, step.boundPolicy.fresh);
        }
        Object lock = ledgers.lockOf(step.hash);
        if (Thread.holdsLock(lock)) {
            return ledgers.transfer(step.hash, present.now, (spent, time) -> {
                if (step.verb == PackedOperation.TAKE && present.now < time) {
                    return PackedResult.STALE;
                }
                SlowPathOperation late = present.notBefore(time);
                return begin(slots, at, late, unspent(late, spent));
            });
        }
        long result = ledgers.inUse() ? 0 : begin(slots, at, present, unspent(present, 0));
        boolean hasBegun = PackedResult.isState(result);
        // The store's first ledger may have begun meanwhile, perhaps for this key: then try again, with the lock.
        return hasBegun && ledgers.inUse() && withdraw(slots, at, result, present) ? 0 : result;
    }

    /**
     * Withdraws the first state. If other threads have changed it already, what the ledger has spent is added to it
     * instead.
     */
    private boolean withdraw(TableGeneration slots, int at, long state, SlowPathOperation step) {
        boolean isOurs = slots.casState(at, state, TableGeneration.EVICTED);
        if (!isOurs) {
            synchronized (ledgers.lockOf(step.hash)) {
                long unused = ledgers.transfer(step.hash, step.now, (spent, time) -> {
                    boolean joined = adjust(PackedOperation.SPEND, step.hash, spent, DecisionTime.NONE, step.now);
                    return joined ? 1 : 0;
                });
            }
        }
        return isOurs;
    }

    private static long begin(TableGeneration slots, int at, SlowPathOperation step, long unspent) {
        long next = step.beginsBudgets() ? step.next(unspent) : PackedMath.REFUSED;
        if (next == PackedMath.REFUSED) {
            return PackedResult.left(unspent);
        }
        return write(slots, at, step.word, next) ? next : 0;
    }

    /** Writes the first state of an entry with this word; false if another thread was faster. */
    private static boolean write(TableGeneration slots, int at, long word, long state) {
        long before = slots.stateAt(at);
        if (!TableGeneration.isUnspent(before)) {
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
    private long unspent(SlowPathOperation step, long spentInLedger) {
        BoundPolicy boundPolicy = step.boundPolicy;
        if (step.isShared) {
            return boundPolicy.fresh;
        }
        long own = boundPolicy.stateWith(spentInLedger, step.now);
        if (!mayHaveShared(step)) {
            return own;
        }
        long shared = PackedResult.state(applySlowly(sharedStep(step, PackedOperation.LOOK, DecisionTime.NONE)));
        return boundPolicy.isWhole(shared, step.now) ? own : shared;
    }

    /** Whether the key may have spent from its shared budget while the table had no room. */
    private boolean mayHaveShared(SlowPathOperation step) {
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

    private SlowPathOperation sharedStep(SlowPathOperation step, PackedOperation verb, DecisionTime spent) {
        // The multiplication spreads the few bits that differ over the word; the low bits keep the key in this shard.
        long bucket = Long.remainderUnsigned(step.hash >>> 10, SHARED);
        long hash = (((bucket * 0x9E3779B97F4A7C15L) ^ (step.boundPolicy.id * 0xC2B2AE3D27D4EB4FL)) & ~0x3FFL) | index;
        return new SlowPathOperation(
                verb,
                hash,
                TableGeneration.word(hash, step.boundPolicy.id),
                step.boundPolicy,
                step.amount,
                spent,
                step.now,
                true);
    }

    private long applyToShared(SlowPathOperation step) {
        long seen = PackedResult.state(applySlowly(sharedStep(step, PackedOperation.LOOK, DecisionTime.NONE)));
        if (step.next(seen) == PackedMath.REFUSED) {
            return PackedResult.left(seen);
        }
        spenders().add(step.hash, step.now, step.boundPolicy.refilledAt(step.now));
        long result = applySlowly(sharedStep(step, step.verb, step.spent));
        VarHandle.fullFence();
        if (PackedResult.isTaken(result) && isPresent(step)) {
            DecisionTime justNow = new DecisionTime(step.now, step.boundPolicy.ticks(step.now));
            applySlowly(sharedStep(step, PackedOperation.GIVE_BACK, justNow));
            return 0;
        }
        return result;
    }

    private boolean isPresent(SlowPathOperation step) {
        TableGeneration first;
        do {
            first = generations.current();
            for (TableGeneration slots = first; slots != null; slots = slots.next) {
                if (slots.find(step.word) >= 0) {
                    return true;
                }
            }
            // A generation that was replaced meanwhile has no reference to the next one.
        } while (first != generations.current());
        return false;
    }
}
