package dev.weir.store.scripted;

import dev.weir.Charge;
import dev.weir.Policy;
import org.jspecify.annotations.Nullable;

/**
 * A charge as the script reads it.
 *
 * @param amount the cost; a cost above every capacity is reduced to one that still exceeds it and fits in a double
 */
record ScriptCharge(Charge charge, KeyName key, PolicyCode policy, long amount) {
    private static final long TOO_MUCH = 2 * Policy.MAX_COUNT + 1;

    /** Equal for the script: the same key, policy and amount. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ScriptCharge priced
                && amount == priced.amount
                && policy == priced.policy
                && key.equals(priced.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + Long.hashCode(amount);
    }

    ScriptCharge(Charge charge, KeyName key, PolicyCode policy) {
        this(charge, key, policy, Math.min(charge.cost(), TOO_MUCH));
    }
}
