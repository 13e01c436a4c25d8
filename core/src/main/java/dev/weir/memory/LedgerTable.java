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
 * The budgets whose state is larger than one long: sliding windows, slots, and numbers that are too large to pack.
 *
 * <p>Implementation notes. Each key has a box that is locked for the few steps of one change. A box whose budget is
 * whole is dropped by the sweep, which looks at a few boxes whenever a new one is made; whoever holds a dropped box
 * looks again. When the table is full, new keys share boxes by hash; a key that gets a box of its own again takes along
 * what is spent of the shared one.
 *
 * <p>A key has spent either here or in the packed table, never in both. Whoever begins a budget in one of the two holds
 * the key's {@linkplain #lockOf lock} meanwhile, and takes over what the key has spent in the other. Locks are taken in
 * the order: key, shared box, own box.
 */
final class LedgerTable {
    /** Shared boxes for each policy. */
    private static final int SHARED = 1024;

    private static final int LOCKS = 256;
    private static final int SWEPT_AT_ONCE = 4;

    private final ConcurrentHashMap<Long, Box> boxes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<SharedId, Box> sharedBoxes = new ConcurrentHashMap<>();
    private final Object[] locks = new Object[LOCKS];
    private final AtomicInteger taken = new AtomicInteger();
    private final int maxBoxes;
    private final Sweeping swept;
    private final GradualSweep<Long> sweep;
    /** The latest time at which a box was whole and dropped: no box may begin before it. See {@link Slots#raiseFloor}. */
    private final AtomicLong floor = new AtomicLong();
    /** Whether there ever was a box: until then the packed table needs no locks. */
    private volatile boolean inUse;

    LedgerTable(int maxBoxes, Sweeping swept) {
        this.maxBoxes = maxBoxes;
        this.swept = swept;
        this.sweep = new GradualSweep<>(boxes.keySet(), swept::ran);
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** Where a key may have spent under a policy whose state is packed. */
    interface Former {
        /** What the key has spent there, in whole units. */
        long spent(long hash, long now);

        /** Shows the successor what the key has spent there, and forgets it if the successor's answer is an admission. */
        Reading handOver(long hash, long now, Successor successor);
    }

    /** Takes over what was spent elsewhere. */
    interface Successor {
        Reading takeOver(long spent);
    }

    /** Takes from a ledger if it can, at a time of the store that never goes back for this ledger. */
    interface Take {
        Reading from(Ledger ledger, long now);
    }

    /** Looks at a ledger. */
    interface Look {
        Reading at(Ledger ledger, long now);
    }

    /** What is settled or given back later. */
    interface Adjustment {
        void apply(Ledger ledger, Gauge gauge, long now);
    }

    private record SharedId(Gauge gauge, int bucket) {}

    private static final class Box {
        /** Guarded by this box. */
        Gauge gauge;
        /** Guarded by this box. */
        Ledger ledger;
        /** Guarded by this box; a dropped box is in no table any more. */
        boolean dropped;
        /**
         * The latest time at which anything was asked. Guarded by this box: threads read the clock before they get the
         * lock, and time must not go back for the ledger because one overtook another.
         */
        long latest;

        long notBefore(long now) {
            latest = Math.max(latest, now);
            return latest;
        }

        Box(Gauge gauge, Ledger ledger, long now) {
            this.gauge = gauge;
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

    /** Whoever begins a budget for a key, here or in the packed table, holds this meanwhile. */
    Object lockOf(long hash) {
        return locks[(int) Long.remainderUnsigned(hash, LOCKS)];
    }

    /** Takes from the key's ledger, in one step. What is not admitted changes nothing. */
    Reading take(long hash, Gauge gauge, long now, Former former, Take take) {
        while (true) {
            Box box = boxes.get(hash);
            Reading reading =
                    box != null ? takeFromOwn(box, gauge, now, take) : takeFirst(hash, gauge, now, former, take);
            if (reading != null) {
                return reading;
            }
        }
    }

    /** Looks at the key's ledger under this policy. */
    Reading look(long hash, Gauge gauge, long now, Former former, Look look) {
        while (true) {
            Box box = boxes.get(hash);
            if (box == null) {
                return lookFirst(hash, gauge, now, former, look);
            }
            synchronized (box) {
                if (!box.dropped) {
                    long time = box.notBefore(now);
                    return look.at(box.gauge == gauge ? box.ledger : converted(box, gauge, time), time);
                }
            }
        }
    }

    /** Looks at a key that has no box, as {@link #takeFirst} would find it. */
    private Reading lookFirst(long hash, Gauge gauge, long now, Former former, Look look) {
        long spent = former.spent(hash, now);
        Box shared = sharedBoxes.get(sharedId(hash, gauge));
        if (shared == null) {
            return look.at(opened(gauge, spent, now), now);
        }
        synchronized (shared) {
            long time = shared.notBefore(now);
            return shared.ledger instanceof SlotLedger
                    ? look.at(shared.ledger, time)
                    : look.at(opened(gauge, Math.max(spent, spent(shared, time)), time), time);
        }
    }

    /**
     * Adjusts the key's ledger under the policy that it has by now; false if it has none. One that is whole under another
     * policy than this is as good as none: what is spent on it begins anew.
     */
    boolean adjust(long hash, Gauge gauge, boolean spends, long now, Adjustment adjustment) {
        Box box = boxes.get(hash);
        if (box == null) {
            return false;
        }
        synchronized (box) {
            if (!box.dropped && spends && box.gauge != gauge && isForgettable(box, box.notBefore(now))) {
                drop(hash, box, box.latest);
            }
            if (!box.dropped) {
                adjustment.apply(box.ledger, box.gauge, box.notBefore(now));
            }
            return !box.dropped;
        }
    }

    /** Spends of a key that has no ledger yet; the caller holds the key's lock. */
    void spendFirst(long hash, Gauge gauge, long now, Adjustment spending) {
        long time = Math.max(now, floor.get());
        if (takeRoom(hash, gauge, time)) {
            Box box = new Box(gauge, opened(gauge, 0, time), time);
            spending.apply(box.ledger, gauge, time);
            boxes.put(hash, box);
        } else {
            Box shared = shared(hash, gauge, time);
            synchronized (shared) {
                spending.apply(shared.ledger, gauge, shared.notBefore(time));
            }
        }
    }

    /** Gives back to the ledger that the key shares with others, if it does. */
    void giveBackShared(long hash, Gauge gauge, long now, Adjustment givingBack) {
        Box shared = sharedBoxes.get(sharedId(hash, gauge));
        if (shared != null) {
            synchronized (shared) {
                givingBack.apply(shared.ledger, gauge, shared.notBefore(now));
            }
        }
    }

    /** Does it to the key's slots, its own or shared ones; false if it has none. */
    boolean onSlots(long hash, Gauge gauge, Predicate<SlotLedger> change) {
        Box own = boxes.get(hash);
        Box box = own != null ? own : sharedBoxes.get(sharedId(hash, gauge));
        if (box == null) {
            return false;
        }
        synchronized (box) {
            return box.ledger instanceof SlotLedger slots && change.test(slots);
        }
    }

    /** What the key has spent here, in whole units. */
    long spent(long hash, long now) {
        Box box = inUse ? boxes.get(hash) : null;
        if (box == null) {
            return 0;
        }
        synchronized (box) {
            return spent(box, box.notBefore(now));
        }
    }

    /** Makes the key's budget whole; slots are free again. */
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
     * Shows the packed table what the key has spent here, and forgets it if a state is begun there. The caller holds the
     * key's lock.
     *
     * @param successor is given what was spent, and the time until which it was; answers the state that it began, or 0 or a number with {@link Slots#UNCHANGED} if it began none
     */
    long handOver(long hash, long now, LongBinaryOperator successor) {
        Box box = boxes.get(hash);
        if (box == null) {
            return successor.applyAsLong(0, now);
        }
        synchronized (box) {
            long time = box.notBefore(now);
            long state = successor.applyAsLong(box.dropped ? 0 : spent(box, time), time);
            if (state != 0 && (state & Slots.UNCHANGED) == 0 && !box.dropped) {
                drop(hash, box, time);
            }
            return state;
        }
    }

    /** Drops every box that is whole. */
    void sweep(long now) {
        boxes.keySet().forEach(hash -> dropIfWhole(hash, now));
        swept.ran();
    }

    private @Nullable Reading takeFromOwn(Box box, Gauge gauge, long now, Take take) {
        synchronized (box) {
            if (box.dropped) {
                return null;
            }
            long time = box.notBefore(now);
            Ledger ledger = box.gauge == gauge ? box.ledger : converted(box, gauge, time);
            Reading reading = take.from(ledger, time);
            if (reading instanceof Reading.Admitted) {
                box.ledger = ledger;
                box.gauge = gauge;
            }
            return reading;
        }
    }

    /** Takes from a key that has no box: answers null if it has one by now. */
    private @Nullable Reading takeFirst(long hash, Gauge gauge, long now, Former former, Take take) {
        inUse = true;
        sweep.some(SWEPT_AT_ONCE, found -> dropIfWhole(found, now));
        synchronized (lockOf(hash)) {
            if (boxes.containsKey(hash)) {
                return null;
            }
            long time = Math.max(now, floor.get());
            if (!takeRoom(hash, gauge, time)) {
                return former.handOver(hash, time, spent -> takeShared(hash, gauge, spent, time, take));
            }
            long shared = spentShared(hash, gauge, time);
            Reading reading = former.handOver(hash, time, spent -> {
                Box box = new Box(gauge, opened(gauge, Math.max(spent, shared), time), time);
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

    /** Takes from the shared box, which takes over what the key has spent before. */
    private Reading takeShared(long hash, Gauge gauge, long spentBefore, long now, Take take) {
        Box shared = shared(hash, gauge, now);
        synchronized (shared) {
            long time = shared.notBefore(now);
            if (spentBefore > 0 && !(shared.ledger instanceof SlotLedger)) {
                Reading together = take.from(opened(gauge, spent(shared, time) + spentBefore, time), time);
                if (!(together instanceof Reading.Admitted)) {
                    return together;
                }
                shared.ledger.spend(spentBefore, gauge.ticks(time));
            }
            return take.from(shared.ledger, time);
        }
    }

    /** What is spent of the box that the key shares with others, in whole units. */
    private long spentShared(long hash, Gauge gauge, long now) {
        Box shared = sharedBoxes.get(sharedId(hash, gauge));
        if (shared == null || shared.ledger instanceof SlotLedger) {
            return 0;
        }
        synchronized (shared) {
            return spent(shared, shared.notBefore(now));
        }
    }

    private Box shared(long hash, Gauge gauge, long now) {
        return sharedBoxes.computeIfAbsent(sharedId(hash, gauge), absent -> new Box(gauge, opened(gauge, 0, now), now));
    }

    /** Takes room for one box, unless the key must share one: slots are released where they were held. */
    private boolean takeRoom(long hash, Gauge gauge, long now) {
        Box shared = sharedBoxes.get(sharedId(hash, gauge));
        if (shared != null && shared.ledger instanceof SlotLedger) {
            synchronized (shared) {
                if (shared.ledger.resetAfter(gauge.ticks(shared.notBefore(now))) > 0) {
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

    private static SharedId sharedId(long hash, Gauge gauge) {
        return new SharedId(gauge, (int) Long.remainderUnsigned(hash, SHARED));
    }

    private static Ledger opened(Gauge gauge, long spent, long now) {
        Ledger ledger = gauge.meter.open(gauge.epoch());
        if (spent > 0 && !(ledger instanceof SlotLedger)) {
            ledger.spend(Math.min(spent, gauge.meter.policy().capacity()), gauge.ticks(now));
        }
        return ledger;
    }

    private static Ledger converted(Box box, Gauge gauge, long now) {
        if (box.ledger instanceof SlotLedger slots && gauge.meter.open(0) instanceof SlotLedger) {
            return slots.resized(gauge.meter.policy().capacity(), gauge.ticks(now));
        }
        return opened(gauge, spent(box, now), now);
    }

    private static long spent(Box box, long now) {
        return box.gauge.freshAvailable(now) - box.ledger.available(box.gauge.ticks(now));
    }

    private static boolean isForgettable(Box box, long now) {
        return box.ledger.resetAfter(box.gauge.ticks(now)) == 0 && box.gauge.freshIsWhole(now);
    }

    private void dropIfWhole(long hash, long now) {
        Box box = boxes.get(hash);
        if (box != null) {
            synchronized (box) {
                long time = box.notBefore(now);
                if (!box.dropped && isForgettable(box, time)) {
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
