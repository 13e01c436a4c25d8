package dev.weir;

import java.util.Objects;

/**
 * A cost to spend from the budget of one key under one policy.
 *
 * @param key the key of the budget
 * @param policy how much the budget holds and how it refills
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
     * Checks that a cost is at least 1.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    public static void checkCost(long cost) {
        if (cost < 1) {
            throw new ArgumentException("cost", "cost is " + cost + "; it must be a positive whole number");
        }
    }
}
