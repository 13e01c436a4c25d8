package dev.weir.memory;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A decision that keeps packed states and computes readings from them on demand: one object of 64 bytes for up to four
 * packed charges, if none follows a calendar.
 *
 * <p>A mark is the state of a packed budget right after it was spent from or, {@linkplain PackedResult#left unchanged}, as it
 * was when it was read.
 */
final class MemoryDecision implements Decision {
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final AtomicLongFieldUpdater<MemoryDecision> TIME =
            AtomicLongFieldUpdater.newUpdater(MemoryDecision.class, "time");

    private final PolicyRegistry policyRegistry;
    private final List<Charge> charges;
    /** Changed while the decision is being made; negative once it was refunded. */
    private volatile long time;

    private long mark0;
    private long mark1;
    private long mark2;
    private long mark3;
    private @Nullable Overflow rest;

    /** The data that does not fit the fixed fields: marks from the fifth on, and the readings of ledgers. */
    private static final class Overflow {
        final long[] marks;
        final @Nullable Reading[] readings;
        /** When ledgers were spent from, which may be later than the decision's time. */
        final long[] spentAt;

        long wallMillis = UNKNOWN;
        /** The number of resets before the decision, if one may have been at the same time. */
        long resetsBefore;
        /** When the reservation ends that it belongs to. */
        volatile long expiresAt = Long.MAX_VALUE;

        @Nullable
        String reservation;

        Overflow(int size) {
            marks = new long[Math.max(0, size - 4)];
            readings = new Reading[size];
            spentAt = new long[size];
        }
    }

    MemoryDecision(PolicyRegistry policyRegistry, List<Charge> charges, long time) {
        this.policyRegistry = policyRegistry;
        this.charges = charges;
        this.time = time;
        if (charges.size() > 4) {
            rest = new Overflow(charges.size());
        }
    }

    void mark(int index, long mark) {
        switch (index) {
            case 0 -> mark0 = mark;
            case 1 -> mark1 = mark;
            case 2 -> mark2 = mark;
            case 3 -> mark3 = mark;
            default -> rest().marks[index - 4] = mark;
        }
    }

    void reading(int index, Reading reading) {
        rest().readings[index] = reading;
        mark(index, reading instanceof Reading.Admitted ? 0 : PackedResult.left(0));
    }

    /** Whether the charges were spent, and not only read. */
    boolean isSpent() {
        return PackedResult.isTaken(mark0);
    }

    @Override
    public boolean admitted() {
        if (isSpent()) {
            return true;
        }
        for (int i = 0; i < charges.size(); i++) {
            if (!(reading(i) instanceof Reading.Fits)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public List<Charge> charges() {
        return charges;
    }

    @Override
    public Reading reading(int index) {
        Reading known = rest == null ? null : rest.readings[index];
        if (known != null) {
            return known;
        }
        long mark = markAt(index);
        boolean spent = PackedResult.isTaken(mark);
        return policyRegistry
                .of(charges.get(index).policy())
                .reading(PackedResult.state(mark), spent, costTogether(index), new DecisionTime(time(), wallMillis()));
    }

    /** The total cost of this charge and those before it on the same key: they fit together or not at all. */
    long costTogether(int index) {
        Charge charge = charges.get(index);
        long cost = charge.cost();
        for (int i = 0; i < index; i++) {
            Charge before = charges.get(i);
            if (before.key().hash() == charge.key().hash()) {
                // A sum that is too large for a long is too large for any budget.
                cost += Math.min(before.cost(), Long.MAX_VALUE - cost);
            }
        }
        return cost;
    }

    @Override
    public long time() {
        return Math.abs(time);
    }

    boolean isRefunded() {
        return time < 0;
    }

    /** Marks the decision as refunded; true for the first call only. */
    boolean refundOnce() {
        long decided = time();
        return TIME.compareAndSet(this, decided, -decided);
    }

    void time(long newTime) {
        time = newTime;
    }

    /** The time at which a charge was spent. */
    DecisionTime decisionTime(int index) {
        long nanos = rest == null ? time() : Math.max(time(), rest.spentAt[index]);
        return new DecisionTime(
                nanos, knowsWallTime() ? wallMillis() : policyRegistry.clock().epochMillis(nanos));
    }

    /** Records when a ledger was spent from: a refund finds the spending by its time. */
    void spentAt(int index, long nanos) {
        rest().spentAt[index] = nanos;
    }

    /** See {@link Resets#cameAfter}. */
    long resetsBefore() {
        return rest == null ? 0 : rest.resetsBefore;
    }

    void resetsBefore(long count) {
        rest().resetsBefore = count;
    }

    /** Whether it belongs to a reservation that has expired: then its estimate stays spent. */
    boolean isExpired(long now) {
        return rest != null && now >= rest.expiresAt;
    }

    /** When the reservation ends that it belongs to. */
    void expiresAt(long time) {
        rest().expiresAt = time;
    }

    /** Makes it the decision of a reservation with this id and end. */
    void reservedAs(String id, long expiresAt) {
        rest().reservation = id;
        rest().expiresAt = expiresAt;
    }

    /** The id of its reservation; null if there is none. */
    @Nullable
    String reservation() {
        return rest == null ? null : rest.reservation;
    }

    boolean knowsWallTime() {
        return wallMillis() != UNKNOWN;
    }

    private long wallMillis() {
        return rest == null ? UNKNOWN : rest.wallMillis;
    }

    /** Records the wall clock's time, because the clock may be set before a reading or a refund needs it. */
    void wallMillis(long wallMillis) {
        rest().wallMillis = wallMillis;
    }

    boolean isOf(PolicyRegistry those) {
        return policyRegistry == those;
    }

    long markAt(int index) {
        return switch (index) {
            case 0 -> mark0;
            case 1 -> mark1;
            case 2 -> mark2;
            case 3 -> mark3;
            default -> rest().marks[index - 4];
        };
    }

    private Overflow rest() {
        Overflow known = rest;
        if (known == null) {
            known = new Overflow(charges.size());
            rest = known;
        }
        return known;
    }

    @Override
    public String toString() {
        return (isSpent() ? "admitted " : "not spent ")
                + Arrays.toString(readings().toArray());
    }
}
