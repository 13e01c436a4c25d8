package dev.weir;

import dev.weir.algorithm.TokenBucketMath;
import java.time.Duration;

/**
 * A bucket of tokens that refills continuously: {@code refill} tokens every {@code period}, up to {@code capacity}.
 *
 * <p>Over any stretch of time exactly {@code floor(elapsed × refill / period)} tokens come back, however often the
 * bucket is used. The fraction of a token that has refilled is never lost and never given early. A rate that 64-bit
 * integers cannot represent exactly is rejected here.
 *
 * @param capacity how many tokens a full bucket holds, 1 to {@link Policy#MAX_COUNT}
 * @param refill how many tokens come back in a period, 1 to {@link Policy#MAX_COUNT}
 * @param period the time in which they come back, a millisecond to a hundred years
 * @param initial how many tokens a bucket holds when its store first sees this policy, 0 to {@code capacity}. It fills
 *     from there whether it is used or not, so a later key finds what an idle bucket would hold by then
 */
public record TokenBucket(long capacity, long refill, Duration period, long initial) implements Policy {
    public TokenBucket {
        Require.count("capacity", capacity);
        Require.count("refill", refill);
        Require.period(period);
        if (initial < 0 || initial > capacity) {
            throw new ArgumentException(
                    "initial", "initial is " + initial + "; it must be 0 to the capacity, " + capacity);
        }
        TokenBucketMath.requireExact(capacity, refill, period);
    }

    /** A bucket that starts full. */
    public static TokenBucket of(long capacity, long refill, Duration period) {
        return new TokenBucket(capacity, refill, period, capacity);
    }

    /** {@code count} tokens a second, with a capacity of {@code count}. */
    public static TokenBucket perSecond(long count) {
        return of(count, count, Duration.ofSeconds(1));
    }

    /** {@code count} tokens a minute, with a capacity of {@code count}. */
    public static TokenBucket perMinute(long count) {
        return of(count, count, Duration.ofMinutes(1));
    }

    /** {@code count} tokens an hour, with a capacity of {@code count}. */
    public static TokenBucket perHour(long count) {
        return of(count, count, Duration.ofHours(1));
    }

    /** The same rate with another capacity, full at the start. */
    public TokenBucket withCapacity(long newCapacity) {
        return new TokenBucket(newCapacity, refill, period, newCapacity);
    }

    /** The same bucket with another initial fill. */
    public TokenBucket withInitial(long newInitial) {
        return new TokenBucket(capacity, refill, period, newInitial);
    }

    @Override
    public int hashCode() {
        return Require.hash(1, capacity * 31 + refill, initial, period);
    }
}
