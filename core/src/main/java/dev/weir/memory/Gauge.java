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

    Gauge(int id, Meter meter, StoreClock clock, long now) {
        this.id = id;
        this.meter = meter;
        this.packed = id == NO_ID ? null : meter.packed();
        this.resolution = meter.followsCalendar() ? null : meter.resolution();
        this.clock = clock;
        this.epoch = ticks(now);
        this.fresh = meter.openPacked(epoch);
    }

    /** A time of the store in this policy's ticks. */
    long ticks(long now) {
        return isNanos() ? now : coarseTicks(now);
    }

    /** Whether this policy's ticks are the store's. */
    boolean isNanos() {
        return resolution == Resolution.NANOS;
    }

    private long coarseTicks(long now) {
        return resolution == null ? clock.epochMillis(now) : resolution.fromNanos(now);
    }

    long epoch() {
        return epoch;
    }

    boolean fits(long state, long cost, long now) {
        return packed != null && Verb.TAKE.apply(packed, state, cost, 0, ticks(now)) != PackedMath.REFUSED;
    }

    boolean isWhole(long state, long now) {
        return packed == null || packed.resetAfter(state, ticks(now)) == 0;
    }

    /** What is spent of a packed state, in whole units; more than the capacity in debt. */
    long spent(long state, long now) {
        long capacity = meter.policy().capacity();
        return packed == null ? 0 : capacity - packed.available(state, ticks(now));
    }

    /** A packed state of which so much is spent. */
    long stateWith(long spent, long now) {
        if (spent <= 0 || packed == null) {
            return fresh;
        }
        return packed.spend(fresh, Math.min(spent, meter.policy().capacity()), ticks(now));
    }

    Reading reading(long state, boolean spent, long cost, long now) {
        return meter.read(packed(), state, spent, cost, ticks(now));
    }

    PackedMath packed() {
        if (packed == null) {
            throw new IllegalStateException("this policy is kept in a ledger");
        }
        return packed;
    }
}
