package dev.weir.ledger;

import dev.weir.algorithm.Meter;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of a store, as {@link LedgerOperations} read and change them. A store makes the calls of one operation
 * indivisible.
 *
 * @param <C> the store's charges
 */
public interface LedgerState<C extends BoundCharge> {

    /** The budget of a charge's key; null if nothing is spent of it. */
    @Nullable
    Budget budget(C charge);

    /** Whether two charges spend from the same budget, so that they fit together or not at all. */
    default boolean isSameBudget(C one, C other) {
        return one.key().equals(other.key());
    }

    /** Keeps a budget that has changed or is about to. */
    void keep(C charge, Budget budget, Moment now);

    /** Throws if budgets for so many more keys may be too many. */
    default void makeRoom(int charges, Moment now) {}

    /** When the store first met a policy, in its ticks: now, if it did not before. */
    long meet(Meter meter, Moment now);

    /** When the store first met the policy of a budget that it keeps. */
    default long metAt(Meter meter, Moment now) {
        return meet(meter, now);
    }

    /** What a charge that is spent now must know of earlier resets of its key. */
    long resetsSeen(C charge, Moment now);

    /**
     * Whether the key was reset after something was spent.
     *
     * @param seen what {@link #resetsSeen} returned then
     */
    boolean wasReset(C charge, Moment spentAt, long seen, Moment now);

    /** Forgets the resets of a key that goes over to slots. */
    void forgetResets(C charge);
}
