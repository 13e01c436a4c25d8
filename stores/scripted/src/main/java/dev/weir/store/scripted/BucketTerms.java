package dev.weir.store.scripted;

import dev.weir.TokenBucket;
import java.math.BigInteger;

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
}
