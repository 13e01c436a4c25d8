package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.Resolution;
import org.jspecify.annotations.Nullable;

/** A policy as one memory store knows it: with a number for the table, the store's clock, and when it was first met. */
final class Gauge {
    /** How the number of a policy that is kept in a ledger, not in the table, reads. */
    static final int NO_ID = 0;

    final int id;
    final Meter meter;
    final @Nullable PackedMath packed;
    /** A state of which nothing is spent. */
    final long fresh;

    private final @Nullable Resolution resolution;
    private final StoreClock clock;
    private final long epoch;
    /** From when on a key of which nothing is spent is whole: a bucket may begin with less than it holds. */
    private final long freshWholeFrom;

    Gauge(int id, Meter meter, StoreClock clock, long now) {
        this.id = id;
        this.meter = meter;
        this.packed = id == NO_ID ? null : meter.packed();
        this.resolution = meter.followsCalendar() ? null : meter.resolution();
        this.clock = clock;
        this.epoch = ticks(now);
        this.fresh = meter.openPacked(epoch);
        this.freshWholeFrom = epoch + meter.open(epoch).resetAfter(epoch);
    }

    /** A time of the store in this policy's ticks. */
    long ticks(long now) {
        return isNanos() ? now : coarseTicks(now);
    }

    /** Whether this policy's ticks are the store's. */
    boolean isNanos() {
        return resolution == Resolution.NANOS;
    }

    /** A past moment in this policy's ticks. */
    long ticks(Moment moment) {
        return resolution == null ? moment.wallMillis() : ticks(moment.nanos());
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

    /** Whether to forget the state would change no answer: it is whole, and so is a fresh one. */
    boolean isForgettable(long state, long now) {
        return isWhole(state, now) && freshIsWhole(now);
    }

    boolean freshIsWhole(long now) {
        return ticks(now) >= freshWholeFrom;
    }

    /** From when on, by the store's clock, the state can be forgotten if nobody spends more. */
    long forgettableFrom(long state, long now) {
        long ticks = ticks(now);
        long wait = Math.max(packed().resetAfter(state, ticks), freshWholeFrom - ticks);
        long nanosPerTick = meter.resolution().nanosPerTick();
        return wait > (Long.MAX_VALUE - now) / nanosPerTick ? Long.MAX_VALUE : now + Math.max(0, wait) * nanosPerTick;
    }

    /** When whatever is spent now, were it all and a debt of as much again, will be back at the latest. */
    long refilledAt(long now) {
        long capacity = meter.policy().capacity();
        long ticks = ticks(now);
        return forgettableFrom(packed().spend(packed().spend(fresh, capacity, ticks), capacity, ticks), now);
    }

    /**
     * How to look at a state. Only once the wall clock has been set back does a window that lies ahead mean anything: till
     * then whoever sees one was held up, and must not move it.
     */
    Verb look() {
        return followsCalendar() && clock.wasSetBack() ? Verb.NOTICE : Verb.LOOK;
    }

    /** The state as one who looks at it leaves it. */
    long notice(long state, long now) {
        return state <= 0 ? state : look().apply(packed(), state, 0, 0, ticks(now));
    }

    /**
     * What is spent of a packed state, in whole units: what a fresh one would have more. More than the capacity in debt.
     */
    long spent(long state, long now) {
        if (packed == null) {
            return 0;
        }
        // A ticking clock may lag behind the precise time at which the policy was first met; an earlier time than that
        // would count what an initial fill withholds as spent.
        long ticks = followsCalendar() ? ticks(now) : Math.max(ticks(now), epoch);
        return freshAvailable(now) - packed.available(state, ticks);
    }

    /** What a key of which nothing is spent has: less than the capacity while an initial fill is filling. */
    long freshAvailable(long now) {
        return freshIsWhole(now) ? meter.policy().capacity() : meter.open(epoch).available(ticks(now));
    }

    /** See {@link Meter#hasEnded}. */
    boolean hasEnded(Moment spent, Reading reading, long now) {
        return meter.hasEnded(ticks(spent), reading.resetAfter(), ticks(now));
    }

    /** A packed state of which so much is spent. */
    long stateWith(long spent, long now) {
        if (spent <= 0 || packed == null) {
            return fresh;
        }
        return packed.spend(fresh, Math.min(spent, meter.policy().capacity()), ticks(now));
    }

    Reading reading(long state, boolean spent, long cost, Moment when) {
        return meter.read(packed(), state, spent, cost, ticks(when));
    }

    PackedMath packed() {
        if (packed == null) {
            throw new IllegalStateException("this policy is kept in a ledger");
        }
        return packed;
    }
}
