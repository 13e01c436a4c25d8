package dev.weir;

import dev.weir.algorithm.TokenBucketMath;
import java.time.Duration;

/**
 * A bucket of tokens that refills continuously: {@code refill} tokens every {@code period}, up to {@code capacity}.
 *
 * <p>Over any stretch exactly {@code floor(elapsed × refill / period)} tokens come back, however often or seldom it is
 * asked: the fraction of a token that is on its way is never lost and never given early. A rate that cannot be kept
 * exactly in 64-bit integers is refused here.
 *
 * @param capacity what a full bucket holds, 1 to {@link Policy#MAX_COUNT}
 * @param refill how many tokens come back in a period, 1 to {@link Policy#MAX_COUNT}
 * @param period the time in which they come back, a millisecond to a hundred years
 * @param initial what a bucket holds when its store first meets this policy, 0 to {@code capacity}; it fills from there
 *     whether it is used or not, so that a key that comes later finds what an idle bucket would hold by then
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

    /** {@code count} a second, and as many at once. */
    public static TokenBucket perSecond(long count) {
        return of(count, count, Duration.ofSeconds(1));
    }

    /** {@code count} a minute, and as many at once. */
    public static TokenBucket perMinute(long count) {
        return of(count, count, Duration.ofMinutes(1));
    }

    /** {@code count} an hour, and as many at once. */
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
