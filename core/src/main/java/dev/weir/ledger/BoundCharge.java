package dev.weir.ledger;

import dev.weir.algorithm.Meter;

/** A charge as a store has it: its key as the store finds budgets by it, its policy on the store's clock. */
public interface BoundCharge {

    /** Equal for charges on the same budget. */
    Object key();

    Meter meter();

    long cost();

    /** Whether this is the scope of its key, written as the store writes scopes. */
    boolean isOfScope(String scope);
}
