package dev.weir.store.redis;

import dev.weir.Reading;
import dev.weir.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;

/**
 * A token bucket's rate in lowest terms: every microsecond gives back {@code tick} units, of which a token has {@code
 * token}. See {@link dev.weir.algorithm.TokenBucketMath}.
 */
record BucketTerms(BigInteger tick, BigInteger token) {

    static BucketTerms of(TokenBucket bucket) {
        BigInteger refill = BigInteger.valueOf(bucket.refill()).multiply(BigInteger.valueOf(1_000));
        BigInteger period = BigInteger.valueOf(bucket.period().toNanos());
        BigInteger common = refill.gcd(period);
        return new BucketTerms(refill.divide(common), period.divide(common));
    }

    /** The numbers of a plain bucket, which fit in longs with room to spare. */
    record Plain(long capacity, long tick, long token) {

        /** What a charge reads that was spent when so much was missing already. */
        Reading admitted(long deficit, long cost) {
            long after = deficit + cost * token;
            return new Reading.Admitted(Math.floorDiv(capacity * token - after, token), micros(ceilDiv(after, tick)));
        }

        /** What a charge reads that does not fit. */
        Reading refused(long deficit, long cost) {
            long full = capacity * token;
            long remaining = Math.max(0, Math.floorDiv(full - deficit, token));
            Duration reset = micros(ceilDiv(deficit, tick));
            return cost > capacity
                    ? new Reading.Impossible(remaining, capacity, reset)
                    : new Reading.Refused(remaining, micros(ceilDiv(deficit + cost * token - full, tick)), reset);
        }

        private static long ceilDiv(long dividend, long divisor) {
            return -Math.floorDiv(-dividend, divisor);
        }

        private static Duration micros(long micros) {
            return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
        }
    }
}
