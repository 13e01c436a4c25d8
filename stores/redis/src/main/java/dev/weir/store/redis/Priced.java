package dev.weir.store.redis;

import dev.weir.Charge;
import dev.weir.Policy;

/**
 * A charge as the script is told of it.
 *
 * @param amount the cost; what no capacity could hold is cut down to something that still could not, and fits in a double
 */
record Priced(Charge charge, KeyName key, PolicyCode policy, long amount) {
    private static final long TOO_MUCH = 2 * Policy.MAX_COUNT + 1;

    Priced(Charge charge, KeyName key, PolicyCode policy) {
        this(charge, key, policy, Math.min(charge.cost(), TOO_MUCH));
    }
}
