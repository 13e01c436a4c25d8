package dev.weir.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The generations of a shard's table: the current one, and the next one while entries are copied to it.
 *
 * <p>Growing, shrinking and sweeping the table are one operation: opening a next generation and copying into it what is
 * not full. Safe for use by any number of threads.
 */
final class Generations {
    /*
     * States of the table:
     * - one generation: "current" has no next;
     * - two generations: current.next is set, and entries are being copied from current to next. Then back to one.
     *
     * Opening. A thread that finds no room for a new key opens the next generation; so does sweep(). The flag "growing"
     * admits one thread at a time; a thread that finds it set tries its operation again instead of waiting. The opening
     * thread retires the current generation first, so that it takes no new keys, and then sets "next". The next
     * generation has room for every key of the current one, so a copy never fails for want of room.
     *
     * Copying. Every thread that the change sends to the slow path copies a few entries, from an index that "cursor"
     * gives out. copy() brings one entry to its end, whatever its state is:
     * - empty: it is closed, so that a thread that was about to claim it fails and goes to the next generation;
     * - nothing spent, or full: it is marked as moved and thereby evicted, after the floor of the next generation was
     *   raised;
     * - live: the state is frozen, then written to the next generation, then marked as moved;
     * - frozen by another thread: this thread finishes the copying. Each step is idempotent.
     *
     * So at any time a key has one state that can be changed: in the current generation before it is frozen, in the
     * next one afterwards. No thread waits for another to copy. Only for a state that is being converted to another
     * policy does copy() spin until the converting thread is done, which takes a few steps.
     *
     * Promotion. When all entries are copied, one thread makes next the current generation by compare-and-set and
     * publishes its array for the fast path. A thread that still uses an old array finds only moved and closed entries
     * there, and takes the slow path.
     */
    private static final int MIN_SIZE = 16;
    private static final int COPIED_AT_ONCE = 64;
    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(Generations.class, "current", TableGeneration.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final int maxSize;
    private final int maxKeys;
    private final int maxKeysAndShared;
    private final PolicyRegistry policyRegistry;
    private final SweepCounts swept;
    private final AtomicBoolean growing = new AtomicBoolean();
    private final AtomicInteger fruitless = new AtomicInteger();
    /** The arrays of the current generations of all shards, for the fast path: see {@link PackedTable}. */
    private final AtomicReferenceArray<long[]> published;

    /** While the largest generation has no room: the time from which it may pay to look for full budgets again. */
    private volatile long roomFrom;

    private volatile TableGeneration current;

    Generations(
            int index,
            int maxKeysAndShared,
            PolicyRegistry policyRegistry,
            SweepCounts swept,
            AtomicReferenceArray<long[]> published) {
        this.index = index;
        this.maxKeysAndShared = maxKeysAndShared;
        this.maxKeys = Math.max(
                1, maxKeysAndShared - Math.max(Math.min(Shard.SHARED, maxKeysAndShared / 2), maxKeysAndShared / 8));
        this.maxSize = sizeFor(maxKeysAndShared);
        this.policyRegistry = policyRegistry;
        this.swept = swept;
        this.published = published;
        this.current = new TableGeneration(MIN_SIZE, limit(MIN_SIZE), null);
        published.set(index, current.words);
    }

    TableGeneration current() {
        return current;
    }

    /** Takes room for a key or for a shared budget; a reserve in the largest generation is for shared budgets only. */
    boolean takeRoom(TableGeneration slots, boolean isShared) {
        return slots.takeRoom(isShared || slots.size < maxSize ? 0 : maxKeysAndShared - maxKeys);
    }

    /** The maximum number of keys that have a budget of their own. */
    int maxKeys() {
        return maxKeys;
    }

    /** The smallest power of two of which this many keys fill at most three quarters. */
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

    /** The number of keys in the table. Some of them may be full and await the next sweep. */
    int size() {
        TableGeneration slots = current;
        TableGeneration next = slots.next;
        return slots.keys() + (next == null ? 0 : next.keys());
    }

    /** Creates a new generation without the full budgets. */
    void sweep(long now) {
        TableGeneration slots = current;
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

    /** Opens the next generation, or helps to copy to it; false if that would not make room. */
    boolean makeRoom(TableGeneration slots, long now) {
        TableGeneration present = current;
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

    /**
     * Opens the next generation, with room for one and a half times the live keys and for all present keys, should all
     * still be needed.
     */
    private void open(TableGeneration slots, int live) {
        fruitless.set(0);
        int size = Math.min(maxSize, Math.max(sizeFor(slots.retire()), sizeFor(live + live / 2)));
        boolean opened = false;
        try {
            slots.next = new TableGeneration(size, limit(size), slots);
            opened = true;
        } finally {
            // If the allocation fails, the current generation continues.
            if (!opened) {
                slots.unretire();
            }
        }
    }

    private int countLive(TableGeneration slots, long now) {
        int live = 0;
        for (int at = 0; at < 2 * slots.size; at += 2) {
            long state = slots.stateAt(at);
            if (state > 0
                    && !policyRegistry
                            .byId(TableGeneration.policyId(slots.wordAt(at)))
                            .isEvictable(state, now)) {
                live++;
            }
        }
        return live;
    }

    /**
     * The time from which at most {@code keys} budgets will be left if nothing is spent meanwhile. Looking again before
     * is useless.
     */
    private long timeUntilOnly(int keys, TableGeneration slots, long now) {
        long[] ends = new long[slots.size];
        int count = 0;
        for (int at = 0; at < 2 * slots.size; at += 2) {
            long state = slots.stateAt(at);
            if (state > 0) {
                ends[count++] = policyRegistry
                        .byId(TableGeneration.policyId(slots.wordAt(at)))
                        .evictableFrom(state, now);
            }
        }
        Arrays.sort(ends, 0, count);
        return count <= keys ? now : ends[count - keys - 1];
    }

    /**
     * Copies a few entries. Every thread that the change of generations sends to the slow path calls it, so that the
     * copying ends.
     */
    void copySome(TableGeneration slots, long now) {
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

    /** Copies all remaining entries. Copying twice is harmless, so this does not wait for other threads. */
    void finish(TableGeneration slots, long now) {
        if (slots.next == null) {
            return;
        }
        for (int at = 0; at < 2 * slots.size; at += 2) {
            copy(slots, at, now);
        }
        promote(slots);
    }

    private void promote(TableGeneration slots) {
        TableGeneration next = slots.next;
        if (next != null && CURRENT.compareAndSet(this, slots, next)) {
            next.previous = null;
            publish();
            swept.ran();
            // A thread that still holds the old generation finds it empty and starts again. It must not keep the later
            // ones from being collected.
            slots.next = null;
        }
    }

    /** Publishes the current generation. Of several threads that race, the last to check publishes the latest. */
    private void publish() {
        TableGeneration latest;
        do {
            latest = current;
            published.set(index, latest.words);
        } while (latest != current);
    }

    void copy(TableGeneration slots, int at, long now) {
        TableGeneration next = slots.next;
        while (next != null) {
            // The state is read before the word, as in TableGeneration.update.
            long state = slots.stateAt(at);
            long word = slots.wordAt(at);
            if (slots.close(at, word) || state == TableGeneration.MOVED) {
                return;
            }
            if (state < 0 && state != TableGeneration.EVICTED) {
                if ((state & TableGeneration.CONVERTING) != 0) {
                    Thread.onSpinWait();
                } else {
                    next.receive(word, state & Long.MAX_VALUE);
                    if (slots.casState(at, state, TableGeneration.MOVED)) {
                        slots.settle();
                    }
                }
            } else if (TableGeneration.isUnspent(state)
                    || policyRegistry.byId(TableGeneration.policyId(word)).isEvictable(state, now)) {
                next.raiseFloor(TableGeneration.isUnspent(state) ? slots.floor() : now);
                if (slots.casState(at, state, TableGeneration.MOVED)) {
                    slots.settle();
                    swept.removed();
                }
            } else {
                slots.casState(at, state, state | TableGeneration.MOVED);
            }
        }
    }
}
