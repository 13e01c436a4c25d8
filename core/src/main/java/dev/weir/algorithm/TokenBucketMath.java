package dev.weir.algorithm;

import dev.weir.DurationText;
import dev.weir.TokenBucket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The token bucket in exact integers.
 *
 * <p><b>Model.</b> The rate, tokens per tick, is a fraction in lowest terms: {@code perTick / perToken}. The state is
 * the <em>deficit</em>: what is missing until the bucket is full, in units of which a token has {@code perToken}. Every
 * tick refills {@code perTick} units, so nothing is ever divided and no fraction is lost:
 *
 * <pre>
 *   deficit(later) = max(0, deficit - elapsed × perTick)
 *   available      = floor((capacity × perToken - deficit) / perToken)
 *   fits(cost)     ⇔ deficit + cost × perToken ≤ capacity × perToken
 *   retryAfter     = ceil((deficit + cost × perToken - capacity × perToken) / perTick)
 *   resetAfter     = ceil(deficit / perTick)
 * </pre>
 *
 * <p><b>Packed.</b> In one long: the time at which the bucket will be full, in units ({@code now × perTick + deficit}).
 * This is the generic cell rate algorithm. The time of a full bucket is in the past, whatever it is.
 *
 * <p>The debt is at most one capacity: the deficit never exceeds twice the full bucket. That also bounds the effect of
 * a clock that jumped ahead and came back.
 */
public final class TokenBucketMath implements PackedMath {
    /** Deficits stay below 2^61, so that a sum of two stays positive. */
    private static final long MAX_FULL = 1L << 60;

    /** The same for doubles, which are exact below 2^53. */
    private static final long MAX_FULL_IN_DOUBLES = 1L << 50;

    private final long capacity;
    private final long perTick;
    private final long perToken;
    /** The deficit of an empty bucket. */
    private final long full;

    private TokenBucketMath(long capacity, long perTick, long perToken) {
        this.capacity = capacity;
        this.perTick = perTick;
        this.perToken = perToken;
        this.full = capacity * perToken;
    }

    /** The math of a bucket on this resolution, or null when its numbers do not fit. */
    static @Nullable TokenBucketMath at(Resolution resolution, long capacity, long refill, Duration period) {
        return at(resolution, MAX_FULL, capacity, refill, period);
    }

    private static @Nullable TokenBucketMath at(
            Resolution resolution, long most, long capacity, long refill, Duration period) {
        long periodNanos = period.toNanos();
        if (resolution != Resolution.NANOS && periodNanos / resolution.nanosPerTick() < 1_000) {
            return null;
        }
        long common = gcd(refill, periodNanos);
        long tickCommon = gcd(resolution.nanosPerTick(), periodNanos / common);
        long perToken = periodNanos / common / tickCommon;
        long perTickFactor = resolution.nanosPerTick() / tickCommon;
        if (refill / common > most / perTickFactor || capacity > most / perToken) {
            return null;
        }
        return new TokenBucketMath(capacity, refill / common * perTickFactor, perToken);
    }

    /** The math of a bucket on the finest resolution that holds it. */
    static Sized sized(long capacity, long refill, Duration period) {
        return sized(Resolution.NANOS, MAX_FULL, "64-bit integers", capacity, refill, period);
    }

    /** The math of a bucket on the finest resolution, microseconds at best, on which doubles hold it. */
    static Sized inDoubles(long capacity, long refill, Duration period) {
        return sized(
                Resolution.MICROS, MAX_FULL_IN_DOUBLES, "the 53-bit integers of this store", capacity, refill, period);
    }

    private static Sized sized(
            Resolution finest, long most, String integers, long capacity, long refill, Duration period) {
        for (Resolution resolution : Resolution.values()) {
            TokenBucketMath math =
                    resolution.compareTo(finest) < 0 ? null : at(resolution, most, capacity, refill, period);
            if (math != null) {
                return new Sized(resolution, math);
            }
        }
        throw new IllegalArgumentException("a bucket of " + capacity + " that refills " + refill + " every "
                + DurationText.of(period)
                + " cannot be kept exactly in " + integers + "; choose a smaller capacity, or a refill that shares more"
                + " factors with the period (such as a round number)");
    }

    /** The math of a bucket with the resolution on which it is exact. */
    record Sized(Resolution resolution, TokenBucketMath math) {}

    /** Throws if no resolution holds the numbers exactly. */
    public static void requireExact(long capacity, long refill, Duration period) {
        sized(capacity, refill, period);
    }

    /** The time that an empty bucket takes to refill, rounded up to a tick of its resolution. */
    public static Duration refillTime(TokenBucket policy) {
        Sized bucket = sized(policy.capacity(), policy.refill(), policy.period());
        return bucket.resolution.toDuration(bucket.math.resetTicks(bucket.math.full));
    }

    PolicyModel.BucketUnits units() {
        return new PolicyModel.BucketUnits(perTick, perToken, full);
    }

    /** The deficit of a bucket that starts with less than its capacity. */
    long initialDeficit(TokenBucket policy) {
        return (capacity - policy.initial()) * perToken;
    }

    // On the deficit.

    long refilled(long deficit, long elapsed) {
        if (elapsed <= 0) {
            return deficit;
        }
        return elapsed >= resetTicks(deficit) ? 0 : deficit - elapsed * perTick;
    }

    /** Negative in debt. */
    long availableAt(long deficit) {
        return Math.floorDiv(full - deficit, perToken);
    }

    long spent(long deficit, long cost) {
        return Math.min(deficit + Math.min(cost, 2 * capacity) * perToken, 2 * full);
    }

    long returned(long deficit, long cost) {
        return Math.max(0, deficit - Math.min(cost, 2 * capacity) * perToken);
    }

    long retryTicks(long deficit, long cost) {
        return ceilDiv(deficit + cost * perToken - full, perTick);
    }

    long resetTicks(long deficit) {
        return ceilDiv(deficit, perTick);
    }

    // On the packed state.

    @Override
    public boolean packs(long horizonTicks) {
        return horizonTicks <= (MAX_STATE - 2 * full) / perTick;
    }

    @Override
    public long take(long state, long cost, long now) {
        // The branch comes before the product, which could overflow for a cost above the capacity.
        return cost > capacity ? REFUSED : take(state, cost * perToken, full, now * perTick);
    }

    /** {@link #take(long, long, long)} in units: a static variant for callers that cache the constants. */
    public static long take(long state, long price, long full, long nowUnits) {
        long next = Math.max(state, nowUnits) + price;
        return next - nowUnits <= full ? next : REFUSED;
    }

    @Override
    public long spend(long state, long cost, long now) {
        long nowUnits = now * perTick;
        // Never less than before: a delayed thread with an old time must not move the state back.
        return Math.max(state, nowUnits + spent(deficit(state, now), cost));
    }

    @Override
    public long giveBack(long state, long cost, long spentAt, long now) {
        long nowUnits = now * perTick;
        return Math.max(nowUnits, Math.max(state, nowUnits) - Math.min(cost, 2 * capacity) * perToken);
    }

    @Override
    public long notice(long state, long now) {
        return state;
    }

    @Override
    public long available(long state, long now) {
        return availableAt(deficit(state, now));
    }

    @Override
    public long retryAfter(long state, long cost, long now) {
        return retryTicks(deficit(state, now), cost);
    }

    @Override
    public long resetAfter(long state, long now) {
        return resetTicks(deficit(state, now));
    }

    /** The state of a bucket that had this deficit at that time. */
    long pack(long deficit, long now) {
        return Math.max(WHOLE, now * perTick + deficit);
    }

    private long deficit(long state, long now) {
        return Math.min(Math.max(state - now * perTick, 0), 2 * full);
    }

    private static long ceilDiv(long dividend, long divisor) {
        return -Math.floorDiv(-dividend, divisor);
    }

    private static long gcd(long a, long b) {
        while (b != 0) {
            long rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
}
