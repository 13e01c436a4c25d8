package dev.weir.memory;

import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.SlotLedger;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The budgets whose state is larger than one long: sliding windows, slots, and numbers that are too large to pack.
 *
 * <p>Implementation notes. Each key has a box that is locked for the few steps of one change. A box whose budget is
 * whole is dropped by the sweep, which looks at a few boxes whenever a new one is made; whoever holds a dropped box
 * looks again. When the table is full, new keys share boxes by hash. A key gets a box of its own only while its shared
 * box is whole, and uses the shared one only while it has none of its own; both are decided under the shared box's
 * lock, so nobody spends from two budgets.
 */
final class LedgerTable {
    /** Shared boxes for each policy. */
    private static final int SHARED = 1024;

    private static final int SWEPT_AT_ONCE = 4;

    private final ConcurrentHashMap<Long, Box> boxes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<SharedId, Box> sharedBoxes = new ConcurrentHashMap<>();
    private final int maxBoxes;
    private final LongAdder swept;
    private final GradualSweep<Long> sweep = new GradualSweep<>(boxes.keySet());

    LedgerTable(int maxBoxes, LongAdder swept) {
        this.maxBoxes = maxBoxes;
        this.swept = swept;
    }

    /** Where a key may have spent under a policy whose state is packed. */
    interface Former {
        /** What the key has spent there, in whole units. */
        long spent(long hash, long now);

        /** The same, and forgets it. */
        long withdraw(long hash, long now);
    }

    private record SharedId(Gauge gauge, int bucket) {}

    /** What happens to a ledger, at a time of the store that never goes back for this ledger. */
    interface Change<R> {
        R apply(Ledger ledger, long now);
    }

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

        Box(Gauge gauge, long spent, long now) {
            this.gauge = gauge;
            this.ledger = opened(gauge, spent, now);
        }
    }

    int size() {
        return boxes.size() + sharedBoxes.size();
    }

    /** Lets a change happen to the key's ledger, in one step; a key that has none gets one if {@code former} is given. */
    <R> R use(long hash, Gauge gauge, long now, @Nullable Former former, Change<R> change) {
        boolean mayCreate = former != null;
        while (true) {
            Box box = boxes.get(hash);
            if (box == null && former != null) {
                box = create(hash, gauge, now, former);
            }
            R result = box != null ? useOwn(box, gauge, now, change) : useShared(hash, gauge, now, mayCreate, change);
            if (result != null) {
                return result;
            }
        }
    }

    /** Gives back to the key's ledger, or spends more of it, under the policy that it has by now; false if it has none. */
    boolean adjust(long hash, long now, Adjustment adjustment) {
        Box box = boxes.get(hash);
        if (box == null) {
            return false;
        }
        synchronized (box) {
            if (!box.dropped) {
                adjustment.apply(box.ledger, box.gauge, box.notBefore(now));
            }
            return !box.dropped;
        }
    }

    /** What is settled or given back later. */
    interface Adjustment {
        void apply(Ledger ledger, Gauge gauge, long now);
    }

    /** Looks at the key's ledger under this policy; whatever the look does to it is forgotten. */
    <R> R look(long hash, Gauge gauge, long now, Former former, Change<R> question) {
        Box box = boxes.get(hash);
        if (box == null) {
            box = sharedBoxes.get(sharedId(hash, gauge));
        }
        if (box == null) {
            return question.apply(opened(gauge, former.spent(hash, now), now), now);
        }
        synchronized (box) {
            long time = box.notBefore(now);
            return question.apply(box.gauge == gauge ? box.ledger : converted(box, gauge, time), time);
        }
    }

    /** What the key has spent here, in whole units. */
    long spent(long hash, long now) {
        Box box = boxes.isEmpty() ? null : boxes.get(hash);
        if (box == null) {
            return 0;
        }
        synchronized (box) {
            return spent(box, box.notBefore(now));
        }
    }

    /** Makes the key's budget whole; leases keep their slots. */
    void reset(long hash) {
        Box box = boxes.get(hash);
        if (box != null) {
            synchronized (box) {
                if (!(box.ledger instanceof SlotLedger)) {
                    drop(hash, box);
                }
            }
        }
    }

    /** Forgets the key, which has moved to another place. */
    void forget(long hash) {
        if (!boxes.isEmpty()) {
            reset(hash);
        }
    }

    /** Drops every box that is whole. */
    void sweep(long now) {
        boxes.keySet().forEach(hash -> dropIfWhole(hash, now));
    }

    private <R> @Nullable R useOwn(Box box, Gauge gauge, long now, Change<R> change) {
        synchronized (box) {
            if (box.dropped) {
                return null;
            }
            long time = box.notBefore(now);
            if (box.gauge != gauge) {
                box.ledger = converted(box, gauge, time);
                box.gauge = gauge;
            }
            return change.apply(box.ledger, time);
        }
    }

    private <R> @Nullable R useShared(long hash, Gauge gauge, long now, boolean mayCreate, Change<R> change) {
        SharedId id = sharedId(hash, gauge);
        Box shared =
                mayCreate ? sharedBoxes.computeIfAbsent(id, absent -> new Box(gauge, 0, now)) : sharedBoxes.get(id);
        if (shared == null) {
            return change.apply(opened(gauge, 0, now), now);
        }
        synchronized (shared) {
            return boxes.containsKey(hash) ? null : change.apply(shared.ledger, shared.notBefore(now));
        }
    }

    /** A box for the key, or null when it must share one. */
    private @Nullable Box create(long hash, Gauge gauge, long now, Former former) {
        sweep.some(SWEPT_AT_ONCE, found -> dropIfWhole(found, now));
        Box shared = sharedBoxes.get(sharedId(hash, gauge));
        if (shared == null) {
            return boxes.mappingCount() < maxBoxes ? createNow(hash, gauge, now, former) : null;
        }
        synchronized (shared) {
            boolean isFree = boxes.mappingCount() < maxBoxes
                    && shared.ledger.resetAfter(gauge.ticks(shared.notBefore(now))) == 0;
            return isFree ? createNow(hash, gauge, now, former) : null;
        }
    }

    private Box createNow(long hash, Gauge gauge, long now, Former former) {
        return boxes.computeIfAbsent(hash, absent -> new Box(gauge, former.withdraw(hash, now), now));
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
            return slots.resized(gauge.meter.policy().capacity());
        }
        return opened(gauge, spent(box, now), now);
    }

    private static long spent(Box box, long now) {
        long capacity = box.gauge.meter.policy().capacity();
        return capacity - box.ledger.available(box.gauge.ticks(now));
    }

    private void dropIfWhole(long hash, long now) {
        Box box = boxes.get(hash);
        if (box != null) {
            synchronized (box) {
                if (!box.dropped && box.ledger.resetAfter(box.gauge.ticks(box.notBefore(now))) == 0) {
                    drop(hash, box);
                    swept.increment();
                }
            }
        }
    }

    private void drop(long hash, Box box) {
        box.dropped = true;
        boxes.remove(hash, box);
    }
}
