package dev.weir.testkit.model;

import dev.weir.TokenBucket;
import dev.weir.algorithm.Resolution;
import java.math.BigInteger;

/**
 * The token bucket: the missing tokens, as a fraction that decreases with every tick.
 *
 * <p>The fraction's denominator is the period in nanoseconds: each nanosecond returns {@code refill} such parts.
 */
final class BucketBudget extends Budget {
    private final BigInteger partsPerToken;
    private final BigInteger partsPerTick;
    private final BigInteger capacity;
    private BigInteger missing;
    private long at;

    BucketBudget(TokenBucket policy, Resolution resolution, long firstSeen) {
        super(policy);
        this.partsPerToken = BigInteger.valueOf(policy.period().toNanos());
        this.partsPerTick = BigInteger.valueOf(policy.refill()).multiply(BigInteger.valueOf(resolution.nanosPerTick()));
        this.capacity = parts(policy.capacity());
        this.missing = parts(policy.capacity() - policy.initial());
        this.at = firstSeen;
    }

    @Override
    long available(long now) {
        return floor(capacity.subtract(missingAt(now)), partsPerToken);
    }

    @Override
    long retryAfter(long cost, long now) {
        return ceil(missingAt(now).add(parts(cost)).subtract(capacity), partsPerTick);
    }

    @Override
    long resetAfter(long now) {
        return ceil(missingAt(now), partsPerTick);
    }

    @Override
    void spend(long cost, long now) {
        missing = missingAt(now).add(parts(cost)).min(capacity.shiftLeft(1));
        at = now;
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        missing = missingAt(now).subtract(parts(cost)).max(BigInteger.ZERO);
        at = now;
    }

    private BigInteger missingAt(long now) {
        BigInteger elapsed = BigInteger.valueOf(now).subtract(BigInteger.valueOf(at));
        return missing.subtract(elapsed.max(BigInteger.ZERO).multiply(partsPerTick))
                .max(BigInteger.ZERO);
    }

    private BigInteger parts(long tokens) {
        return BigInteger.valueOf(tokens).multiply(partsPerToken);
    }

    private static long floor(BigInteger dividend, BigInteger divisor) {
        BigInteger[] parts = dividend.divideAndRemainder(divisor);
        return parts[0].subtract(parts[1].signum() < 0 ? BigInteger.ONE : BigInteger.ZERO)
                .longValueExact();
    }

    private static long ceil(BigInteger dividend, BigInteger divisor) {
        return -floor(dividend.negate(), divisor);
    }
}
