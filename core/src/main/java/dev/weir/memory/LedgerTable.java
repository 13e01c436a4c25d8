package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.SlotLedger;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The budgets whose state is larger than one long: sliding windows, concurrency slots, and numbers that are too large
 * to pack.
 *
 * <p>Safe for use by any number of threads. The capacity is bounded; when it is reached, new keys share budgets.
 */
final class LedgerTable {
    /*
     * Each key has a box: its ledger, the ledger's policy, and the latest time at which it was used. A box is changed
     * only by a thread that holds its monitor, for the few steps of one operation.
     *
     * States of a box:
     * - in the table. A thread that begins a budget adds the box while it holds the key's lock; a refusal adds none;
     * - dropped, by a reset, by the transfer of the budget to the packed table, or once the budget is full. "dropped"
     *   is set under the box's monitor, before the box leaves the map. It is final: a thread that got hold of a dropped
     *   box looks the key up again.
     *
     * The sweep visits a few boxes whenever a thread begins a budget. A full budget carries no information, so dropping
     * its box affects no result. But a delayed thread must not begin a new one in the past: "floor" is the latest time
     * of a drop, and a new box begins no earlier.
     *
     * Time never goes back for a ledger. Threads read the clock before they get the monitor, so each operation uses the
     * later of its own time and the box's latest.
     *
     * One key, one place: a key has spent either here or in the packed table. A thread that begins a budget in one of
     * the two holds the key's lock (one of LOCKS, by hash) and takes over what the key has spent in the other: by
     * Former.transfer() when it begins here, by transfer() when it begins there. The old budget is removed only if the
     * new one has begun. A thread that uses an existing box does not need the key's lock. "inUse" is false until the
     * first box: until then the packed table takes no locks.
     *
     * When the table has no room, new keys share a box for each policy and hash. A key that gets a box of its own later
     * begins with what is spent from the shared one. Concurrency slots must be released where they were held, so keys
     * keep a shared box of slots until all of these are free.
     *
     * Lock order: the key's lock, then a shared box, then the key's own box.
     */
    /** The number of shared boxes for each policy. */
    private static final int SHARED = 1024;

    private static final int LOCKS = 256;
    private static final int SWEPT_AT_ONCE = 4;

    private final ConcurrentHashMap<Long, Box> boxes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<SharedId, Box> sharedBoxes = new ConcurrentHashMap<>();
    private final Object[] locks = new Object[LOCKS];
    private final AtomicInteger taken = new AtomicInteger();
    private final int maxBoxes;
    private final SweepCounts swept;
    private final GradualSweep<Long> sweep;
    /** The latest time at which a box was dropped: no box may begin before it. See {@link TableGeneration#raiseFloor}. */
    private final AtomicLong floor = new AtomicLong();
    /** Whether there has ever been a box: until then the packed table needs no locks. */
    private volatile boolean inUse;

    LedgerTable(int maxBoxes, SweepCounts swept) {
        this.maxBoxes = maxBoxes;
        this.swept = swept;
        this.sweep = new GradualSweep<>(boxes.keySet(), swept::ran);
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** The packed table, where a key may have spent under an earlier policy. */
    interface PackedPredecessor {
        /** The amount that the key has spent there, in whole units. */
        long spent(long hash, long now);

        /** Passes the amount that the key has spent there to the successor, and removes it if the successor admits. */
        Reading transfer(long hash, long now, Successor successor);
    }

    /** Takes over an amount that was spent in the other table. */
    interface Successor {
        Reading takeOver(long spent);
    }

    /** Spends from a ledger if the cost fits. The time never goes back for one ledger. */
    interface Take {
        Reading from(Ledger ledger, long now);
    }

    /** Reads a ledger without changing it. */
    interface LedgerReader {
        Reading at(Ledger ledger, long now);
    }

    /** A settlement or refund. */
    interface Adjustment {
        void apply(Ledger ledger, BoundPolicy boundPolicy, long now);
    }

    private record SharedId(BoundPolicy boundPolicy, int bucket) {}

    private static final class Box {
        /** Guarded by this box. */
        BoundPolicy boundPolicy;
        /** Guarded by this box. */
        Ledger ledger;
        /** Guarded by this box; a dropped box is no longer in the table. */
        boolean dropped;
        /**
         * The latest time at which this box was used. Guarded by this box. Threads read the clock before they get the
         * lock, and time must not go back for the ledger because one thread overtook another.
         */
        long latest;

        long notBefore(long now) {
            latest = Math.max(latest, now);
            return latest;
        }

        Box(BoundPolicy boundPolicy, Ledger ledger, long now) {
            this.boundPolicy = boundPolicy;
            this.ledger = ledger;
            this.latest = now;
        }
    }

    int size() {
        return boxes.size() + sharedBoxes.size();
    }

    boolean inUse() {
        return inUse;
    }

    /** The lock of a key, held by a thread that begins a budget for it, here or in the packed table. */
    Object lockOf(long hash) {
        return locks[(int) Long.remainderUnsigned(hash, LOCKS)];
    }

    /** Spends from the key's ledger, in one atomic step. A refusal changes nothing. */
    Reading take(long hash, BoundPolicy boundPolicy, long now, PackedPredecessor former, Take take) {
        while (true) {
            Box box = boxes.get(hash);
            Reading reading = box != null
                    ? takeFromOwn(box, boundPolicy, now, take)
                    : takeFirst(hash, boundPolicy, now, former, take);
            if (reading != null) {
                return reading;
            }
        }
    }

    /** Reads the key's ledger under this policy. */
    Reading look(long hash, BoundPolicy boundPolicy, long now, PackedPredecessor former, LedgerReader look) {
        while (true) {
            Box box = boxes.get(hash);
            if (box == null) {
                return lookFirst(hash, boundPolicy, now, former, look);
            }
            synchronized (box) {
                if (!box.dropped) {
                    long time = box.notBefore(now);
                    return look.at(
                            box.boundPolicy == boundPolicy ? box.ledger : converted(box, boundPolicy, time), time);
                }
            }
        }
    }

    /** Reads the budget of a key that has no box, as {@link #takeFirst} would find it. */
    private Reading lookFirst(
            long hash, BoundPolicy boundPolicy, long now, PackedPredecessor former, LedgerReader look) {
        long spent = former.spent(hash, now);
        Box shared = sharedBoxes.get(sharedId(hash, boundPolicy));
        if (shared == null) {
            return look.at(opened(boundPolicy, spent, now), now);
        }
        synchronized (shared) {
            long time = shared.notBefore(now);
            return shared.ledger instanceof SlotLedger
                    ? look.at(shared.ledger, time)
                    : look.at(opened(boundPolicy, Math.max(spent, spent(shared, time)), time), time);
        }
    }

    /**
     * Adjusts the key's ledger under its present policy; false if it has none. A ledger that is full under another
     * policy counts as none: further spending begins a new one.
     */
    boolean adjust(long hash, BoundPolicy boundPolicy, boolean spends, long now, Adjustment adjustment) {
        Box box = boxes.get(hash);
        if (box == null) {
            return false;
        }
        synchronized (box) {
            if (!box.dropped && spends && box.boundPolicy != boundPolicy && isEvictable(box, box.notBefore(now))) {
                drop(hash, box, box.latest);
            }
            if (!box.dropped) {
                adjustment.apply(box.ledger, box.boundPolicy, box.notBefore(now));
            }
            return !box.dropped;
        }
    }

    /** Spends from the budget of a key that has no ledger yet; the caller holds the key's lock. */
    void spendFirst(long hash, BoundPolicy boundPolicy, long now, Adjustment spending) {
        long time = Math.max(now, floor.get());
        if (takeRoom(hash, boundPolicy, time)) {
            Box box = new Box(boundPolicy, opened(boundPolicy, 0, time), time);
            spending.apply(box.ledger, boundPolicy, time);
            boxes.put(hash, box);
        } else {
            Box shared = shared(hash, boundPolicy, time);
            synchronized (shared) {
                spending.apply(shared.ledger, boundPolicy, shared.notBefore(time));
            }
        }
    }

    /** Gives back to the key's shared ledger, if there is one. */
    void giveBackShared(long hash, BoundPolicy boundPolicy, long now, Adjustment givingBack) {
        Box shared = sharedBoxes.get(sharedId(hash, boundPolicy));
        if (shared != null) {
            synchronized (shared) {
                givingBack.apply(shared.ledger, boundPolicy, shared.notBefore(now));
            }
        }
    }

    /** Applies a change to the key's concurrency slots, its own or the shared ones; false if it has none. */
    boolean onSlots(long hash, BoundPolicy boundPolicy, Predicate<SlotLedger> change) {
        Box own = boxes.get(hash);
        Box box = own != null ? own : sharedBoxes.get(sharedId(hash, boundPolicy));
        if (box == null) {
            return false;
        }
        synchronized (box) {
            return box.ledger instanceof SlotLedger slots && change.test(slots);
        }
    }

    /** The amount that the key has spent here, in whole units. */
    long spent(long hash, long now) {
        Box box = inUse ? boxes.get(hash) : null;
        if (box == null) {
            return 0;
        }
        synchronized (box) {
            return spent(box, box.notBefore(now));
        }
    }

    /** Resets the key's budget to full; its slots become free. */
    void reset(long hash, long now) {
        Box box = inUse ? boxes.get(hash) : null;
        if (box != null) {
            synchronized (box) {
                if (!box.dropped) {
                    drop(hash, box, now);
                }
            }
        }
    }

    /**
     * Passes the amount that the key has spent here to the packed table, and drops it if a state begins there. The
     * caller holds the key's lock.
     *
     * @param successor is given the amount and the time until which it was spent; returns the state that it began, or
     *     another {@link PackedResult} result if it began none
     */
    long transfer(long hash, long now, LongBinaryOperator successor) {
        Box box = boxes.get(hash);
        if (box == null) {
            return successor.applyAsLong(0, now);
        }
        synchronized (box) {
            long time = box.notBefore(now);
            long state = successor.applyAsLong(box.dropped ? 0 : spent(box, time), time);
            if (PackedResult.isState(state) && !box.dropped) {
                drop(hash, box, time);
            }
            return state;
        }
    }

    /** Drops every box whose budget is full. */
    void sweep(long now) {
        boxes.keySet().forEach(hash -> dropIfWhole(hash, now));
        swept.ran();
    }

    private @Nullable Reading takeFromOwn(Box box, BoundPolicy boundPolicy, long now, Take take) {
        synchronized (box) {
            if (box.dropped) {
                return null;
            }
            long time = box.notBefore(now);
            Ledger ledger = box.boundPolicy == boundPolicy ? box.ledger : converted(box, boundPolicy, time);
            Reading reading = take.from(ledger, time);
            if (reading instanceof Reading.Admitted) {
                box.ledger = ledger;
                box.boundPolicy = boundPolicy;
            }
            return reading;
        }
    }

    /** Spends from the budget of a key that has no box; returns null if it has one by now. */
    private @Nullable Reading takeFirst(
            long hash, BoundPolicy boundPolicy, long now, PackedPredecessor former, Take take) {
        inUse = true;
        sweep.some(SWEPT_AT_ONCE, found -> dropIfWhole(found, now));
        synchronized (lockOf(hash)) {
            if (boxes.containsKey(hash)) {
                return null;
            }
            long time = Math.max(now, floor.get());
            if (!takeRoom(hash, boundPolicy, time)) {
                return former.transfer(hash, time, spent -> takeShared(hash, boundPolicy, spent, time, take));
            }
            long shared = spentShared(hash, boundPolicy, time);
            Reading reading = former.transfer(hash, time, spent -> {
                Box box = new Box(boundPolicy, opened(boundPolicy, Math.max(spent, shared), time), time);
                Reading seen = take.from(box.ledger, time);
                if (seen instanceof Reading.Admitted) {
                    boxes.put(hash, box);
                }
                return seen;
            });
            if (!(reading instanceof Reading.Admitted)) {
                taken.decrementAndGet();
            }
            return reading;
        }
    }

    /** Spends from the shared box, which takes over what the key has spent before. */
    private Reading takeShared(long hash, BoundPolicy boundPolicy, long spentBefore, long now, Take take) {
        Box shared = shared(hash, boundPolicy, now);
        synchronized (shared) {
            long time = shared.notBefore(now);
            if (spentBefore > 0 && !(shared.ledger instanceof SlotLedger)) {
                Reading together = take.from(opened(boundPolicy, spent(shared, time) + spentBefore, time), time);
                if (!(together instanceof Reading.Admitted)) {
                    return together;
                }
                shared.ledger.spend(spentBefore, boundPolicy.ticks(time));
            }
            return take.from(shared.ledger, time);
        }
    }

    /** The amount that is spent from the key's shared box, in whole units. */
    private long spentShared(long hash, BoundPolicy boundPolicy, long now) {
        Box shared = sharedBoxes.get(sharedId(hash, boundPolicy));
        if (shared == null || shared.ledger instanceof SlotLedger) {
            return 0;
        }
        synchronized (shared) {
            return spent(shared, shared.notBefore(now));
        }
    }

    private Box shared(long hash, BoundPolicy boundPolicy, long now) {
        return sharedBoxes.computeIfAbsent(
                sharedId(hash, boundPolicy), absent -> new Box(boundPolicy, opened(boundPolicy, 0, now), now));
    }

    /** Takes room for one box, unless the key must use a shared one: slots are released where they were held. */
    private boolean takeRoom(long hash, BoundPolicy boundPolicy, long now) {
        Box shared = sharedBoxes.get(sharedId(hash, boundPolicy));
        if (shared != null && shared.ledger instanceof SlotLedger) {
            synchronized (shared) {
                if (shared.ledger.resetAfter(boundPolicy.ticks(shared.notBefore(now))) > 0) {
                    return false;
                }
            }
        }
        boolean hasRoom = taken.incrementAndGet() <= maxBoxes;
        if (!hasRoom) {
            taken.decrementAndGet();
        }
        return hasRoom;
    }

    private static SharedId sharedId(long hash, BoundPolicy boundPolicy) {
        return new SharedId(boundPolicy, (int) Long.remainderUnsigned(hash, SHARED));
    }

    private static Ledger opened(BoundPolicy boundPolicy, long spent, long now) {
        Ledger ledger = boundPolicy.model.open(boundPolicy.epoch());
        if (spent > 0 && !(ledger instanceof SlotLedger)) {
            ledger.spend(Math.min(spent, boundPolicy.model.policy().capacity()), boundPolicy.ticks(now));
        }
        return ledger;
    }

    private static Ledger converted(Box box, BoundPolicy boundPolicy, long now) {
        if (box.ledger instanceof SlotLedger slots && boundPolicy.model.open(0) instanceof SlotLedger) {
            return slots.resized(boundPolicy.model.policy().capacity(), boundPolicy.ticks(now));
        }
        return opened(boundPolicy, spent(box, now), now);
    }

    private static long spent(Box box, long now) {
        return box.boundPolicy.freshAvailable(now) - box.ledger.available(box.boundPolicy.ticks(now));
    }

    private static boolean isEvictable(Box box, long now) {
        return box.ledger.resetAfter(box.boundPolicy.ticks(now)) == 0 && box.boundPolicy.freshIsWhole(now);
    }

    private void dropIfWhole(long hash, long now) {
        Box box = boxes.get(hash);
        if (box != null) {
            synchronized (box) {
                long time = box.notBefore(now);
                if (!box.dropped && isEvictable(box, time)) {
                    drop(hash, box, time);
                    swept.removed();
                }
            }
        }
    }

    private void drop(long hash, Box box, long now) {
        box.dropped = true;
        floor.accumulateAndGet(now, Math::max);
        boxes.remove(hash, box);
        taken.decrementAndGet();
    }
}
