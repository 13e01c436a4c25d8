package dev.weir.engine.plan;

import dev.weir.Policy;
import dev.weir.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;

/**
 * One rate of a row.
 *
 * @param window the time in which the capacity refills; zero for slots
 * @param suffix the parts that it adds to the key
 */
record RowEntry(Policy policy, Duration window, List<String> suffix) {

    /** The entry that admits fewer in the long run; if both admit the same, the one that admits fewer at once. */
    static RowEntry stricter(RowEntry one, RowEntry other) {
        // count / window, compared without division; slots have no window, so their counts are compared.
        int rate = count(one).multiply(nanos(other)).compareTo(count(other).multiply(nanos(one)));
        boolean isOther = rate > 0 || (rate == 0 && one.policy.capacity() > other.policy.capacity());
        return isOther ? other : one;
    }

    private static BigInteger count(RowEntry entry) {
        return BigInteger.valueOf(
                entry.policy instanceof TokenBucket bucket ? bucket.refill() : entry.policy.capacity());
    }

    private static BigInteger nanos(RowEntry entry) {
        Duration period = entry.policy instanceof TokenBucket bucket ? bucket.period() : entry.window;
        return period.isZero()
                ? BigInteger.ONE
                : BigInteger.valueOf(period.getSeconds())
                        .multiply(BigInteger.valueOf(1_000_000_000))
                        .add(BigInteger.valueOf(period.getNano()));
    }
}
