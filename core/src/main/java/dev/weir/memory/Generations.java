package dev.weir.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The generations of a shard's slots: the present one, and the next while it is being filled.
 *
 * <p>Implementation notes. Nobody ever waits for a generation to change. When the present one has no room, a thread that
 * brings a new key opens the next; from then on every thread that brings a new key copies a few slots, leaving out what
 * is whole, until the next generation is complete and becomes the present one. This is at once the growing, the
 * shrinking and the sweeping of the table. A slot is copied in three exchanges: the state is frozen, written to the next
 * generation, and marked as moved; whoever meets a frozen state finishes its copying and goes on there. So at any time a
 * key has one state that can be changed.
 */
final class Generations {
    private static final int MIN_SIZE = 16;
    private static final int COPIED_AT_ONCE = 64;
    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(Generations.class, "current", Slots.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final int maxSize;
    private final int maxKeys;
    private final int maxKeysAndShared;
    private final Gauges gauges;
    private final Sweeping swept;
    private final AtomicBoolean growing = new AtomicBoolean();
    private final AtomicInteger fruitless = new AtomicInteger();
    /** Where the words of the present generations of all shards are, for those who need no more: see {@link PackedTable}. */
    private final AtomicReferenceArray<long[]> published;

    /** While the largest generation is full: when it may be worth to look again for budgets that are whole. */
    private volatile long roomFrom;

    private volatile Slots current;

    Generations(
            int index, int maxKeysAndShared, Gauges gauges, Sweeping swept, AtomicReferenceArray<long[]> published) {
        this.index = index;
        this.maxKeysAndShared = maxKeysAndShared;
        this.maxKeys = Math.max(
                1, maxKeysAndShared - Math.max(Math.min(Shard.SHARED, maxKeysAndShared / 2), maxKeysAndShared / 8));
        this.maxSize = sizeFor(maxKeysAndShared);
        this.gauges = gauges;
        this.swept = swept;
        this.published = published;
        this.current = new Slots(MIN_SIZE, limit(MIN_SIZE), null);
        published.set(index, current.words);
    }

    Slots current() {
        return current;
    }

    /** Takes room for one key of its own, or for a budget that keys share: there is always some left for these. */
    boolean takeRoom(Slots slots, boolean isShared) {
        return slots.takeRoom(isShared || slots.size < maxSize ? 0 : maxKeysAndShared - maxKeys);
    }

    /** The most keys that have room of their own. */
    int maxKeys() {
        return maxKeys;
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

    /** Opens the next generation, or helps to fill it; false if that would not make room. */
    boolean makeRoom(Slots slots, long now) {
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
            int worthIt = maxKeys - Math.max(1, maxKeys / 16);
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
    void copySome(Slots slots, long now) {
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
    void finish(Slots slots, long now) {
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
            swept.ran();
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

    void copy(Slots slots, int at, long now) {
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
                    swept.removed();
                }
            } else {
                slots.casState(at, state, state | Slots.MOVED);
            }
        }
    }
}
