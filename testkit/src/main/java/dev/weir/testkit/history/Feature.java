package dev.weir.testkit.history;

/** Operations that a generated history may have besides single charges, peeks and the passing of time. */
public enum Feature {
    /** Several charges in one decision. */
    SEVERAL_CHARGES,
    /** Several charges on the same key in one decision. */
    REPEATED_KEYS,
    /** A key's policy changes. */
    POLICY_CHANGES,
    REFUNDS,
    RESETS,
    RESERVATIONS,
    /** Leases; without them no history has slots. */
    LEASES,
    /** The clock steps back. */
    STEPS_BACK,
    /** The wall clock is set. */
    WALL_STEPS,
    /** The store evicts full budgets. */
    SWEEPS
}
