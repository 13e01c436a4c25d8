package dev.weir.algorithm;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A policy compiled for one clock resolution: its numbers in ticks, and the algorithm that uses them. Immutable. */
public final class PolicyModel {
    /** The longest time since the origin of a store's clock for which packed states fit. */
    private static final Duration HORIZON = Duration.ofDays(50 * 365);

    /** The latest time for which packed calendar states fit: the year 2200. */
    private static final long CALENDAR_HORIZON_MILLIS = 7_258_118_400_000L;

    private final Policy policy;
    private final Resolution resolution;
    private final @Nullable PackedMath packed;
    /**
     * A bucket's numbers, which all its ledgers share. Created with the first ledger; racing threads may create it
     * twice.
     */
    private @Nullable TokenBucketMath bucketMath;

    private PolicyModel(Policy policy, Resolution resolution, @Nullable PackedMath packed) {
        this.policy = policy;
        this.resolution = resolution;
        this.packed = packed;
    }

    /**
     * Compiles a policy for an in-process store: on the finest resolution on which its state fits in one long; failing
     * that, on the finest that holds it exactly.
     */
    public static PolicyModel local(Policy policy) {
        if (policy instanceof CalendarWindow calendar) {
            CalendarWindowMath math = new CalendarWindowMath(calendar);
            return new PolicyModel(policy, Resolution.MILLIS, math.packs(CALENDAR_HORIZON_MILLIS) ? math : null);
        }
        for (Resolution resolution : Resolution.values()) {
            PackedMath math = packedMath(policy, resolution);
            if (math != null && math.packs(resolution.fromNanos(HORIZON.toNanos()))) {
                return new PolicyModel(policy, resolution, math);
            }
        }
        return policy instanceof TokenBucket bucket
                ? new PolicyModel(policy, sized(bucket).resolution(), null)
                : new PolicyModel(policy, Resolution.NANOS, null);
    }

    /**
     * Compiles a policy for a given resolution.
     *
     * @throws IllegalArgumentException if the resolution cannot hold it exactly
     */
    public static PolicyModel at(Resolution resolution, Policy policy) {
        PolicyModel model =
                new PolicyModel(policy, policy instanceof CalendarWindow ? Resolution.MILLIS : resolution, null);
        model.open(0);
        return model;
    }

    /**
     * Compiles a policy for a store whose scripts compute in doubles: on microseconds, or for a bucket whose numbers
     * exceed doubles there, on the finest coarser resolution on which they fit.
     *
     * @throws IllegalArgumentException if it cannot be held exactly
     */
    public static PolicyModel inDoubles(Policy policy) {
        return policy instanceof TokenBucket bucket
                ? new PolicyModel(
                        policy,
                        TokenBucketMath.inDoubles(bucket.capacity(), bucket.refill(), bucket.period())
                                .resolution(),
                        null)
                : at(Resolution.MICROS, policy);
    }

    public Policy policy() {
        return policy;
    }

    public Resolution resolution() {
        return resolution;
    }

    /** Whether times are milliseconds since the epoch rather than ticks since an arbitrary origin. */
    public boolean followsCalendar() {
        return policy instanceof CalendarWindow;
    }

    /** Whether a new bucket is not full, so that it depends on when the store first saw the policy. */
    public boolean startsFilling() {
        return policy instanceof TokenBucket bucket && bucket.initial() < bucket.capacity();
    }

    /** The algorithm on a state of one long, if this policy's state fits in one. */
    public @Nullable PackedMath packed() {
        return packed;
    }

    /**
     * Creates a ledger from which nothing is spent.
     *
     * @param epoch when the store first saw the policy: a bucket with an initial fill has been filling since then
     */
    public Ledger open(long epoch) {
        if (policy instanceof TokenBucket bucket) {
            TokenBucketMath math = math(bucket);
            return new TokenBucketLedger(math, math.initialDeficit(bucket), epoch);
        }
        if (policy instanceof FixedWindow window) {
            return new FixedWindowLedger(requireFit(FixedWindowMath.at(resolution, window)), 0, 0);
        }
        if (policy instanceof CalendarWindow window) {
            return new CalendarWindowLedger(new CalendarWindowMath(window), 0, 0);
        }
        if (policy instanceof SlidingWindow window) {
            requireFit(resolution.divides(window.period()) ? window : null);
            return new SlidingWindowLedger(window, resolution);
        }
        if (policy instanceof Streak streak) {
            requireFit(resolution.divides(streak.quiet()) ? streak : null);
            return new StreakLedger(streak, resolution, 0, 0, 0);
        }
        if (policy instanceof Concurrency concurrency) {
            return new SlotLedger(concurrency.slots());
        }
        return new ClosedLedger();
    }

    /**
     * Restores the ledger that has this {@linkplain Ledger#state() state}.
     *
     * @throws IllegalArgumentException if this is not a state of this policy
     */
    public Ledger resume(long... state) {
        Ledger fresh = open(0);
        if (fresh instanceof SlotLedger slots) {
            return slots.resumed(state);
        }
        if (fresh instanceof SlidingWindowLedger window) {
            return window.resumed(state);
        }
        int length = policy instanceof Streak ? 3 : 2;
        if (state.length != length) {
            throw new IllegalArgumentException("the state has " + state.length + " numbers; that of a "
                    + policy.getClass().getSimpleName() + " has " + length);
        }
        if (policy instanceof TokenBucket bucket) {
            return new TokenBucketLedger(math(bucket), state[0], state[1]);
        }
        if (policy instanceof FixedWindow window) {
            return new FixedWindowLedger(requireFit(FixedWindowMath.at(resolution, window)), state[0], state[1]);
        }
        if (policy instanceof CalendarWindow window) {
            return new CalendarWindowLedger(new CalendarWindowMath(window), state[0], state[1]);
        }
        if (policy instanceof Streak streak) {
            return new StreakLedger(streak, resolution, state[0], state[1], state[2]);
        }
        throw new IllegalArgumentException(policy + " has no state");
    }

    /**
     * The numbers of a token bucket, for stores that compute in their backend; null for other policies.
     *
     * @param perTick how many units refill in a tick
     * @param perToken how many units a token has
     * @param full how many units a full bucket has
     */
    public record BucketUnits(long perTick, long perToken, long full) {}

    /** See {@link BucketUnits}. */
    public @Nullable BucketUnits bucketUnits() {
        return policy instanceof TokenBucket bucket
                ? requireFit(TokenBucketMath.at(resolution, bucket.capacity(), bucket.refill(), bucket.period()))
                        .units()
                : null;
    }

    /** The window that contains a time, for stores that compute in their backend; null for other policies. */
    public @Nullable CalendarSpan calendarSpan(long wallMillis) {
        return policy instanceof CalendarWindow window ? CalendarSpan.of(window, wallMillis) : null;
    }

    /** The packed state from which nothing is spent; see {@link #open}. */
    public long openPacked(long epoch) {
        return policy instanceof TokenBucket bucket && startsFilling() && packed instanceof TokenBucketMath math
                ? math.pack(math.initialDeficit(bucket), epoch)
                : PackedMath.WHOLE;
    }

    /**
     * The amount spent from a ledger, in whole units: the difference to an unused one. What an initial fill withholds
     * does not count as spent. More than the capacity in debt.
     *
     * @param epoch as for {@link #open}
     */
    public long spent(Ledger ledger, long epoch, long now) {
        return open(epoch).available(now) - ledger.available(now);
    }

    /**
     * Whether a ledger is equivalent to an unused one, so that a store may evict it.
     *
     * @param epoch as for {@link #open}
     */
    public boolean isEvictable(Ledger ledger, long epoch, long now) {
        return ledger.resetAfter(now) == 0 && open(epoch).resetAfter(now) == 0;
    }

    /**
     * Whether the window of a charge has ended, so that it cannot be given back to a budget that is under another
     * policy now. Never for a bucket, whose tokens are all alike.
     *
     * @param resetAfter the value in the reading of the charge
     */
    public boolean hasEnded(long spentAt, Duration resetAfter, long now) {
        return !(policy instanceof TokenBucket) && now - spentAt >= resetAfter.toNanos() / resolution.nanosPerTick();
    }

    /** Creates the reading for these numbers. */
    public Reading reading(boolean spent, long cost, long available, long retryAfter, long resetAfter) {
        long remaining = Math.max(0, available);
        Duration reset = resolution.toDuration(resetAfter);
        if (spent) {
            return new Reading.Admitted(remaining, reset);
        }
        if (cost > policy.capacity()) {
            return new Reading.Impossible(remaining, policy.capacity(), reset);
        }
        return cost <= available
                ? new Reading.Fits(remaining, reset)
                : new Reading.Refused(remaining, resolution.toDuration(retryAfter), reset);
    }

    /** The reading of a ledger for a cost: before it is spent, or right after. */
    public Reading read(Ledger ledger, boolean spent, long cost, long now) {
        long available = ledger.available(now);
        boolean waits = !spent && cost > available && cost <= policy.capacity();
        return reading(spent, cost, available, waits ? ledger.retryAfter(cost, now) : 0, ledger.resetAfter(now));
    }

    /** The reading of a packed state for a cost: before it is spent, or right after. */
    public Reading read(PackedMath math, long state, boolean spent, long cost, long now) {
        long available = math.available(state, now);
        boolean waits = !spent && cost > available && cost <= policy.capacity();
        return reading(
                spent, cost, available, waits ? math.retryAfter(state, cost, now) : 0, math.resetAfter(state, now));
    }

    private static @Nullable PackedMath packedMath(Policy policy, Resolution resolution) {
        if (policy instanceof TokenBucket bucket) {
            return TokenBucketMath.at(resolution, bucket.capacity(), bucket.refill(), bucket.period());
        }
        return policy instanceof FixedWindow window ? FixedWindowMath.at(resolution, window) : null;
    }

    private TokenBucketMath math(TokenBucket bucket) {
        TokenBucketMath math = bucketMath;
        if (math == null) {
            math = requireFit(TokenBucketMath.at(resolution, bucket.capacity(), bucket.refill(), bucket.period()));
            bucketMath = math;
        }
        return math;
    }

    private static TokenBucketMath.Sized sized(TokenBucket bucket) {
        return TokenBucketMath.sized(bucket.capacity(), bucket.refill(), bucket.period());
    }

    private <T> T requireFit(@Nullable T math) {
        if (math == null) {
            throw new IllegalArgumentException(
                    policy + " cannot be kept exactly on a clock of " + resolution + "; choose rounder numbers");
        }
        return math;
    }
}
