package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import org.jspecify.annotations.Nullable;

/**
 * A policy bound to one memory store: with its id in the table, the store's clock, and when the store first saw it.
 * Immutable.
 */
final class BoundPolicy {
    /** The id of every policy that is kept in a ledger and not in the table. */
    static final int NO_ID = 0;

    final int id;
    final PolicyModel model;
    final @Nullable PackedMath packed;
    /** A state from which nothing is spent. */
    final long fresh;

    private final @Nullable Resolution resolution;
    private final StoreClock clock;
    private final long epoch;
    /** First tick at which an unused bucket is full: a bucket may start with less than its capacity. */
    private final long freshWholeFrom;

    BoundPolicy(int id, PolicyModel model, StoreClock clock, long now) {
        this.id = id;
        this.model = model;
        this.packed = id == NO_ID ? null : model.packed();
        this.resolution = model.followsCalendar() ? null : model.resolution();
        this.clock = clock;
        this.epoch = ticks(now);
        this.fresh = model.openPacked(epoch);
        this.freshWholeFrom = epoch + model.open(epoch).resetAfter(epoch);
    }

    /** Converts a time of the store to this policy's ticks. */
    long ticks(long now) {
        return isNanos() ? now : coarseTicks(now);
    }

    /** Whether this policy's ticks are nanoseconds, as the store's are. */
    boolean isNanos() {
        return resolution == Resolution.NANOS;
    }

    /** Converts the time of an earlier decision to this policy's ticks. */
    long ticks(DecisionTime decisionTime) {
        return resolution == null ? decisionTime.wallMillis() : ticks(decisionTime.nanos());
    }

    private long coarseTicks(long now) {
        return resolution == null ? clock.epochMillis(now) : resolution.fromNanos(now);
    }

    long epoch() {
        return epoch;
    }

    boolean followsCalendar() {
        return resolution == null;
    }

    boolean fits(long state, long cost, long now) {
        return packed != null && cost <= packed.available(state, ticks(now));
    }

    boolean isWhole(long state, long now) {
        return packed == null || packed.resetAfter(state, ticks(now)) == 0;
    }

    /** Whether the entry can be evicted without affecting results: its budget is full, and so is a fresh one. */
    boolean isEvictable(long state, long now) {
        return isWhole(state, now) && freshIsWhole(now);
    }

    boolean freshIsWhole(long now) {
        return ticks(now) >= freshWholeFrom;
    }

    /** The time on the store's clock from which the entry can be evicted if nothing more is spent. */
    long evictableFrom(long state, long now) {
        long ticks = ticks(now);
        long wait = Math.max(packed().resetAfter(state, ticks), freshWholeFrom - ticks);
        long nanosPerTick = model.resolution().nanosPerTick();
        return wait > (Long.MAX_VALUE - now) / nanosPerTick ? Long.MAX_VALUE : now + Math.max(0, wait) * nanosPerTick;
    }

    /** The latest time at which anything spent now has refilled: the whole capacity, and a debt of as much again. */
    long refilledAt(long now) {
        long capacity = model.policy().capacity();
        long ticks = ticks(now);
        return evictableFrom(packed().spend(packed().spend(fresh, capacity, ticks), capacity, ticks), now);
    }

    /**
     * The operation that reads a state. A window that lies ahead is meaningful only once the wall clock has been set
     * back. Until then the reading thread was delayed, and must not move the window.
     */
    PackedOperation look() {
        return followsCalendar() && clock.wasSetBack() ? PackedOperation.NOTICE : PackedOperation.LOOK;
    }

    /** The state after a read. */
    long notice(long state, long now) {
        return state <= 0 ? state : look().apply(packed(), state, 0, 0, ticks(now));
    }

    /**
     * The amount spent from a packed state, in whole units: the difference to a fresh one. More than the capacity in
     * debt.
     */
    long spent(long state, long now) {
        if (packed == null) {
            return 0;
        }
        // A ticking clock may lag behind the precise time at which the store first saw the policy. An earlier time
        // would count what an initial fill withholds as spent.
        long ticks = followsCalendar() ? ticks(now) : Math.max(ticks(now), epoch);
        return freshAvailable(now) - packed.available(state, ticks);
    }

    /** What an unused key has available: less than the capacity while an initial fill is filling. */
    long freshAvailable(long now) {
        return freshIsWhole(now) ? model.policy().capacity() : model.open(epoch).available(ticks(now));
    }

    /** See {@link PolicyModel#hasEnded}. */
    boolean hasEnded(DecisionTime spent, Reading reading, long now) {
        return model.hasEnded(ticks(spent), reading.resetAfter(), ticks(now));
    }

    /** A packed state from which {@code spent} units are spent. */
    long stateWith(long spent, long now) {
        if (spent <= 0 || packed == null) {
            return fresh;
        }
        return packed.spend(fresh, Math.min(spent, model.policy().capacity()), ticks(now));
    }

    Reading reading(long state, boolean spent, long cost, DecisionTime when) {
        return model.read(packed(), state, spent, cost, ticks(when));
    }

    PackedMath packed() {
        if (packed == null) {
            throw new IllegalStateException("this policy is kept in a ledger");
        }
        return packed;
    }
}
