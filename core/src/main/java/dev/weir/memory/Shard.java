package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.PackedMath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One part of the table: a generation of {@link Slots}, and the next one while it is being filled.
 *
 * <p>Implementation notes. Nobody ever waits for a generation to change. When the present one has no room, a thread that
 * brings a new key opens the next; from then on every thread that brings a new key copies a few slots, leaving out what
 * is whole, until the next generation is complete and becomes the present one. This is at once the growing, the
 * shrinking and the sweeping of the table. A slot is copied in three exchanges: the state is frozen, written to the next
 * generation, and marked as moved; whoever meets a frozen state finishes its copying and goes on there. So at any time a
 * key has one state that can be changed.
 *
 * <p>When the largest generation is full of budgets that are not whole, new keys share {@link #SHARED} overflow budgets
 * for each policy, chosen by the hash: memory stays bounded, nobody's count is forgotten, and a shared budget admits no
 * more than one key's would. A key leaves the shared budget for its own only with what the shared one has spent: a
 * thread that spends from a shared budget looks afterwards whether the key has got its own, and a thread that opens a
 * key's own budget looks afterwards what the shared one has spent, so one of two that race sees the other.
 */
final class Shard {
    static final int MIN_SIZE = 16;
    /** Shared budgets for each policy. */
    static final int SHARED = 64;

    private static final int COPIED_AT_ONCE = 64;
    /** Stands for no answer. */
    private static final Reading NOTHING_SPENT = new Reading.Fits(0, Duration.ZERO);

    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(Shard.class, "current", Slots.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final int maxSize;
    private final int maxKeys;
    private final int maxKeysAndShared;
    private final Gauges gauges;
    private final LedgerTable ledgers;
    private final LongAdder swept;
    private final AtomicBoolean growing = new AtomicBoolean();
    private final AtomicInteger fruitless = new AtomicInteger();
    /** Where the words of the present generations of all shards are, for those who need no more: see {@link PackedTable}. */
    private final AtomicReferenceArray<long[]> published;

    /** While the largest generation is full: when it may be worth to look again for budgets that are whole. */
    private volatile long roomFrom;

    private volatile boolean hasShared;
    private volatile Slots current;

    Shard(
            int index,
            int maxKeys,
            Gauges gauges,
            LedgerTable ledgers,
            LongAdder swept,
            AtomicReferenceArray<long[]> published) {
        this.index = index;
        this.maxKeysAndShared = maxKeys;
        this.maxKeys = Math.max(1, maxKeys - Math.max(Math.min(SHARED, maxKeys / 2), maxKeys / 8));
        this.maxSize = sizeFor(maxKeysAndShared);
        this.gauges = gauges;
        this.ledgers = ledgers;
        this.swept = swept;
        this.published = published;
        this.current = new Slots(MIN_SIZE, limit(MIN_SIZE), null);
        published.set(index, current.words);
    }

    /** The least power of two of which this many keys fill at most three quarters. */
    private static int sizeFor(int keys) {
        int size = MIN_SIZE;
        while (size - size / 4 < keys) {
            size *= 2;
        }
        return size;
    }

    private int limit(int size) {
        return Math.min(size - size / 4, maxKeysAndShared);
    }

    /** Keys in the table, among them some that are whole and await sweeping. */
    int size() {
        Slots slots = current;
        Slots next = slots.next;
        return slots.keys() + (next == null ? 0 : next.keys());
    }

    /** Where the key is now, or nowhere: for those who come again. */
    Place place(long word) {
        Slots slots = current;
        int at = slots.find(word);
        return at >= 0 ? new Place(slots.words, at) : Place.NOWHERE;
    }

    /**
     * Does it to the key's state, wherever that is: answers the new state, or the state with {@link Slots#UNCHANGED}, or
     * {@link Slots#STALE}.
     */
    long apply(Verb verb, long hash, Gauge gauge, long amount, Moment spent, long now) {
        return applySlowly(new Step(verb, hash, Slots.word(hash, gauge.id), gauge, amount, spent, now, false));
    }

    /** What the key has spent, whatever its policy, in whole units. */
    long spent(long hash, long now) {
        return visit(
                hash,
                now,
                0L,
                (slots, at, state, gauge) -> slots.stateAt(at) == state ? Long.valueOf(gauge.spent(state, now)) : null);
    }

    /** Adjusts what the key has spent, whatever its policy; false if it has spent nothing. */
    boolean adjust(Verb verb, long hash, long amount, Moment spent, long now) {
        return visit(hash, now, false, (slots, at, state, gauge) -> {
            long next = verb.apply(gauge.packed(), state, amount, gauge.ticks(spent), gauge.ticks(now));
            return slots.casState(at, state, next) ? true : null;
        });
    }

    /** Forgets what the key has spent. */
    void reset(long hash, long now) {
        boolean unused = visit(hash, now, false, (slots, at, state, gauge) -> {
            slots.raiseFloor(now);
            return slots.casState(at, state, Slots.FORGOTTEN) ? true : null;
        });
    }

    /** See {@link LedgerTable.Former#handOver}; the caller holds the key's lock, so that nobody begins a new state. */
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

    /** What is done to a state of which something is spent: null if it has changed meanwhile. */
    private interface Visitor<R> {
        @Nullable
        R visit(Slots slots, int at, long state, Gauge gauge);
    }

    /** Visits the key's state until the visitor has an answer; {@code absent} if it has none. */
    private <R> R visit(long hash, long now, R absent, Visitor<R> visitor) {
        long word = Slots.word(hash, Gauge.NO_ID);
        while (true) {
            Slots slots = current;
            finish(slots, now);
            int at = slots.find(word);
            if (at == Slots.GONE) {
                continue;
            }
            // The state before the word, as in Slots.update.
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

    /** Makes a new generation without what is whole. */
    void sweep(long now) {
        Slots slots = current;
        if (slots.keys() > 0 && growing.compareAndSet(false, true)) {
            try {
                if (slots == current && slots.next == null) {
                    open(slots, countLive(slots, now));
                }
                finish(slots, now);
            } finally {
                growing.set(false);
            }
        }
    }

    /** What is to be done, for the slow path. */
    private record Step(
            Verb verb, long hash, long word, Gauge gauge, long amount, Moment spent, long now, boolean isShared) {
        long next(long state) {
            return verb.apply(gauge.packed(), state, amount, gauge.ticks(spent), gauge.ticks(now));
        }

        /** Whether it only corrects what was spent before. */
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
            "ThreadPriorityCheck") // only to let the thread finish that converts this slot or opens a generation
    private long applySlowly(Step step) {
        for (int tries = 0; ; tries++) {
            long result = attempt(current, step);
            if (result > 0) {
                return result;
            }
            if (tries > 8) {
                Thread.yield();
            }
        }
    }

    /** Answers 0 when something changed meanwhile and all is to be looked at again. */
    private long attempt(Slots slots, Step step) {
        int at = slots.find(step.word);
        if (at == Slots.GONE) {
            copySome(slots, step.now);
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
            copy(slots, at, step.now);
            copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        long found = slots.wordAt(at);
        if (found != step.word) {
            return step.adjusts()
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
     * Does it to a state that was written under another policy: what was spent stays spent. One thread at a time; the
     * slot is frozen meanwhile, and goes back to what it was if nothing changes.
     */
    private long attemptUnderOtherPolicy(Slots slots, int at, long state, Step step) {
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
                return converted | Slots.UNCHANGED;
            }
            thawedWord = step.word;
            thawedState = next;
            return next;
        } finally {
            slots.thaw(at, thawedWord, thawedState);
        }
    }

    /** What is settled or given back later counts under the policy that the key has by then. */
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
     * Does it to a key of which nothing is spent in this generation, at its slot or at the complement of an empty one.
     * Nobody may begin a ledger for the same key meanwhile, so once there are ledgers the key is locked.
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
            copySome(slots, step.now);
            return attemptInNext(slots, step);
        }
        if (step.verb == Verb.GIVE_BACK && hasShared && !step.isShared) {
            return applySlowly(sharedStep(step, Verb.GIVE_BACK, step.spent));
        }
        if (step.verb == Verb.TAKE && step.now < slots.floor()) {
            return Slots.STALE;
        }
        long unspent = unspent(step);
        // What changes nothing leaves no trace: a refusal must not make the table grow.
        if (!step.beginsBudgets() || step.next(unspent) == PackedMath.REFUSED) {
            return unspent | Slots.UNCHANGED;
        }
        int reserve = step.isShared || slots.size < maxSize ? 0 : maxKeysAndShared - maxKeys;
        if (!slots.takeRoom(reserve)) {
            if (makeRoom(slots, step.now)) {
                return 0;
            }
            return step.isShared ? unspent | Slots.UNCHANGED : applyToShared(step);
        }
        return slots.claim(at, step.word) ? attemptFirst(slots, at, step) : 0;
    }

    /** The first change of a slot's state in its generation. */
    private long attemptFirst(Slots slots, int at, Step step) {
        if (step.verb == Verb.TAKE && step.now < slots.floor()) {
            return Slots.STALE;
        }
        Step present = step.notBefore(slots.floor());
        long unspent = unspent(present);
        long next = step.beginsBudgets() ? present.next(unspent) : PackedMath.REFUSED;
        if (next == PackedMath.REFUSED) {
            return unspent | Slots.UNCHANGED;
        }
        if (!begin(slots, at, step.word, next)) {
            return 0;
        }
        return step.isShared || !ledgers.inUse() || succeedLedger(slots, at, next, present) ? next : 0;
    }

    /** Takes the place of the key's ledger; false if that must be tried again. */
    private boolean succeedLedger(Slots slots, int at, long state, Step step) {
        Object lock = ledgers.lockOf(step.hash);
        if (!Thread.holdsLock(lock)) {
            // The store's very first ledger was begun meanwhile, perhaps for this key.
            if (slots.casState(at, state, Slots.FORGOTTEN)) {
                return false;
            }
            synchronized (lock) {
                boolean unused =
                        adjust(Verb.SPEND, step.hash, ledgers.spent(step.hash, step.now), Moment.NONE, step.now);
                ledgers.forget(step.hash, step.now);
            }
        } else {
            ledgers.forget(step.hash, step.now);
        }
        return true;
    }

    /** Writes the first state of a slot, under this word; false if another was faster. */
    private static boolean begin(Slots slots, int at, long word, long state) {
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

    /** The state of a key without one: fresh, but for what its shared budget or its ledger has spent. */
    private long unspent(Step step) {
        Gauge gauge = step.gauge;
        if (step.isShared) {
            return gauge.fresh;
        }
        long own = gauge.stateWith(ledgers.spent(step.hash, step.now), step.now);
        if (!hasShared) {
            return own;
        }
        long shared = applySlowly(sharedStep(step, Verb.LOOK, Moment.NONE)) & ~Slots.UNCHANGED;
        return gauge.isWhole(shared, step.now) ? own : shared;
    }

    private Step sharedStep(Step step, Verb verb, Moment spent) {
        // Multiplying spreads the few bits that differ over the word; the low bits keep the key in this shard.
        long bucket = Long.remainderUnsigned(step.hash >>> 10, SHARED);
        long hash = (((bucket * 0x9E3779B97F4A7C15L) ^ (step.gauge.id * 0xC2B2AE3D27D4EB4FL)) & ~0x3FFL) | index;
        return new Step(verb, hash, Slots.word(hash, step.gauge.id), step.gauge, step.amount, spent, step.now, true);
    }

    private long applyToShared(Step step) {
        hasShared = true;
        long result = applySlowly(sharedStep(step, step.verb, step.spent));
        VarHandle.fullFence();
        if ((result & Slots.UNCHANGED) == 0 && isPresent(step)) {
            Moment justNow = new Moment(step.now, step.gauge.ticks(step.now));
            applySlowly(sharedStep(step, Verb.GIVE_BACK, justNow));
            return 0;
        }
        return result;
    }

    private boolean isPresent(Step step) {
        for (Slots slots = current; slots != null; slots = slots.next) {
            if (slots.find(step.word) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Opens the next generation, or helps to fill it; false if that would not make room. */
    private boolean makeRoom(Slots slots, long now) {
        Slots present = current;
        if (slots != present) {
            finish(present, now);
            return true;
        }
        if (slots.size == maxSize && now < roomFrom && fruitless.getAndIncrement() % (maxSize / 8) != 0) {
            return false;
        }
        if (!growing.compareAndSet(false, true)) {
            return true;
        }
        try {
            if (slots.next != null || slots != current) {
                return true;
            }
            int live = countLive(slots, now);
            int worthIt = maxKeys - maxKeys / 16;
            boolean helps = slots.size < maxSize || live <= worthIt;
            if (helps) {
                open(slots, live);
            } else {
                roomFrom = timeUntilOnly(worthIt, slots, now);
            }
            return helps;
        } finally {
            growing.set(false);
        }
    }

    /** Opens the next generation: room for what is live and half as much, and for all that is here, should it return. */
    private void open(Slots slots, int live) {
        fruitless.set(0);
        int size = Math.min(maxSize, Math.max(sizeFor(slots.retire()), sizeFor(live + live / 2)));
        boolean opened = false;
        try {
            slots.next = new Slots(size, limit(size), slots);
            opened = true;
        } finally {
            // When there is no memory for it, the present generation must go on.
            if (!opened) {
                slots.unretire();
            }
        }
    }

    private int countLive(Slots slots, long now) {
        int live = 0;
        for (int at = 0; at < 2 * slots.size; at += 2) {
            long state = slots.stateAt(at);
            if (state > 0 && !gauges.byId(Slots.policyId(slots.wordAt(at))).isForgettable(state, now)) {
                live++;
            }
        }
        return live;
    }

    /** From when on so few budgets will be left, if nobody spends meanwhile: until then it is no use to look again. */
    private long timeUntilOnly(int keys, Slots slots, long now) {
        long[] ends = new long[slots.size];
        int count = 0;
        for (int at = 0; at < 2 * slots.size; at += 2) {
            long state = slots.stateAt(at);
            if (state > 0) {
                ends[count++] = gauges.byId(Slots.policyId(slots.wordAt(at))).forgettableFrom(state, now);
            }
        }
        Arrays.sort(ends, 0, count);
        return count <= keys ? now : ends[count - keys - 1];
    }

    /** Everyone whom a change of generations sends the long way copies a little, so that it comes to an end. */
    private void copySome(Slots slots, long now) {
        if (slots.next == null || slots.cursor.get() >= slots.size) {
            return;
        }
        int from = slots.cursor.getAndAdd(COPIED_AT_ONCE);
        int to = Math.min(slots.size, from + COPIED_AT_ONCE);
        for (int i = from; i < to; i++) {
            copy(slots, 2 * i, now);
        }
        if (from < slots.size && slots.copied.addAndGet(to - from) == slots.size) {
            promote(slots);
        }
    }

    /** Copies whatever is left. Copying twice harms nothing, so no other thread is waited for. */
    private void finish(Slots slots, long now) {
        if (slots.next == null) {
            return;
        }
        for (int at = 0; at < 2 * slots.size; at += 2) {
            copy(slots, at, now);
        }
        promote(slots);
    }

    private void promote(Slots slots) {
        Slots next = slots.next;
        if (next != null && CURRENT.compareAndSet(this, slots, next)) {
            next.previous = null;
            publish();
            // Whoever still holds the old generation finds it empty and starts again; it must not hold the others.
            slots.next = null;
        }
    }

    /** Publishes the present generation; of several that race, the last to look publishes the latest. */
    private void publish() {
        Slots latest;
        do {
            latest = current;
            published.set(index, latest.words);
        } while (latest != current);
    }

    private void copy(Slots slots, int at, long now) {
        Slots next = slots.next;
        while (next != null) {
            // The state before the word, as in Slots.update.
            long state = slots.stateAt(at);
            long word = slots.wordAt(at);
            if (slots.close(at, word) || state == Slots.MOVED) {
                return;
            }
            if (state < 0 && state != Slots.FORGOTTEN) {
                if ((state & Slots.CONVERTING) != 0) {
                    Thread.onSpinWait();
                } else {
                    next.receive(word, state & Long.MAX_VALUE);
                    if (slots.casState(at, state, Slots.MOVED)) {
                        slots.settle();
                    }
                }
            } else if (Slots.isUnspent(state)
                    || gauges.byId(Slots.policyId(word)).isForgettable(state, now)) {
                next.raiseFloor(Slots.isUnspent(state) ? slots.floor() : now);
                if (slots.casState(at, state, Slots.MOVED)) {
                    slots.settle();
                    swept.increment();
                }
            } else {
                slots.casState(at, state, state | Slots.MOVED);
            }
        }
    }
}
