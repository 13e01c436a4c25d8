package dev.weir.ledger;

import dev.weir.algorithm.PolicyModel;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of a store, which {@link LedgerOperations} reads and changes. The store makes the calls of one operation
 * atomic.
 *
 * @param <C> the store's charges
 */
public interface LedgerState<C extends BoundCharge> {

    /** Returns the budget of a charge's key; null if nothing is spent from it. */
    @Nullable
    Budget budget(C charge);

    /** Whether two charges spend from the same budget; then their costs must fit together. */
    default boolean isSameBudget(C one, C other) {
        return one.key().equals(other.key());
    }

    /** Saves a budget that has changed or is about to. */
    void keep(C charge, Budget budget, StoreTime now);

    /** Throws if there may be no room for this many new budgets. */
    default void makeRoom(int charges, StoreTime now) {}

    /** Returns when the store first saw a policy, in the policy's ticks; records the present time if it is new. */
    long firstSeen(PolicyModel model, StoreTime now);

    /** Returns when the store first saw the policy of a budget that it keeps. */
    default long firstSeenAt(PolicyModel model, StoreTime now) {
        return firstSeen(model, now);
    }

    /** Returns what a charge that is spent now must record of earlier resets of its key. */
    long resetsSeen(C charge, StoreTime now);

    /**
     * Whether the key was reset after a charge was spent.
     *
     * @param seen what {@link #resetsSeen} returned then
     */
    boolean wasReset(C charge, StoreTime spentAt, long seen, StoreTime now);

    /** Removes the resets of a key whose policy becomes a concurrency limit. */
    void forgetResets(C charge);
}
