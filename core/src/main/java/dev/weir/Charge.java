package dev.weir;

import java.util.Objects;

/**
 * What one limit asks of one budget.
 *
 * @param key whose budget
 * @param policy how much it holds and how it comes back
 * @param cost how much to spend, at least 1
 */
public record Charge(Key key, Policy policy, long cost) {
    public Charge {
        Objects.requireNonNull(key, "key is null");
        Objects.requireNonNull(policy, "policy is null");
        checkCost(cost);
    }

    /** A charge of one. */
    public static Charge of(Key key, Policy policy) {
        return new Charge(key, policy, 1);
    }

    /**
     * Refuses what is no cost.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    public static void checkCost(long cost) {
        if (cost < 1) {
            throw new ArgumentException("cost", "cost is " + cost + "; it must be a positive whole number");
        }
    }
}
