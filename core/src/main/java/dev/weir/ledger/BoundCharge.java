package dev.weir.ledger;

import dev.weir.algorithm.PolicyModel;

/** A charge bound to a store: with the key by which the store finds its budget, and the policy on the store's clock. */
public interface BoundCharge {

    /** Equal for charges on the same budget. */
    Object key();

    PolicyModel model();

    long cost();

    /** Whether this is the scope of its key, in the store's form of scopes. */
    boolean isOfScope(String scope);
}
