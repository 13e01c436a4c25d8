package dev.weir.memory;

import dev.weir.Reading;
import dev.weir.algorithm.CalendarWindowMath;
import dev.weir.algorithm.FixedWindowMath;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.Resolution;
import dev.weir.algorithm.TokenBucketMath;
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

    private final Resolution resolution;
    private final boolean followsCalendar;
    private final StoreClock clock;
    private final long epoch;

    Gauge(int id, Meter meter, StoreClock clock, long now) {
        this.id = id;
        this.meter = meter;
        this.packed = id == NO_ID ? null : meter.packed();
        this.resolution = meter.resolution();
        this.followsCalendar = meter.followsCalendar();
        this.clock = clock;
        this.epoch = ticks(now);
        this.fresh = meter.openPacked(epoch);
    }

    /** A time of the store in this policy's ticks. */
    long ticks(long now) {
        return followsCalendar ? clock.epochMillis(now) : resolution.fromNanos(now);
    }

    long epoch() {
        return epoch;
    }

    /** What happens to a packed state. The types are told apart here so that each call is a direct one. */
    long next(Verb verb, long state, long amount, long spentAt, long now) {
        long ticks = ticks(now);
        if (verb == Verb.TAKE) {
            if (packed instanceof TokenBucketMath bucket) {
                return bucket.take(state, amount, ticks);
            }
            if (packed instanceof FixedWindowMath window) {
                return window.take(state, amount, ticks);
            }
        }
        return packed == null ? state : nextOther(packed, verb, state, amount, spentAt, ticks);
    }

    private long nextOther(PackedMath math, Verb verb, long state, long amount, long spentAt, long ticks) {
        return switch (verb) {
            case TAKE -> ((CalendarWindowMath) math).take(state, amount, ticks);
            case SPEND -> math.spend(state, amount, ticks);
            case GIVE_BACK -> math.giveBack(state, amount, ticks(spentAt), ticks);
            case LOOK -> state;
        };
    }

    boolean fits(long state, long cost, long now) {
        return packed != null && packed.take(state, cost, ticks(now)) != PackedMath.REFUSED;
    }

    boolean isWhole(long state, long now) {
        return packed == null || packed.resetAfter(state, ticks(now)) == 0;
    }

    /** What is spent of a packed state, in whole units, at most one capacity. */
    long spent(long state, long now) {
        long capacity = meter.policy().capacity();
        return packed == null ? 0 : Math.min(capacity, capacity - packed.available(state, ticks(now)));
    }

    /** A packed state of which so much is spent. */
    long stateWith(long spent, long now) {
        if (spent <= 0 || packed == null) {
            return fresh;
        }
        return packed.spend(fresh, Math.min(spent, meter.policy().capacity()), ticks(now));
    }

    Reading reading(long state, boolean spent, long cost, long now) {
        if (packed == null) {
            throw new IllegalStateException("this policy is kept in a ledger");
        }
        return meter.read(packed, state, spent, cost, ticks(now));
    }
}
