package dev.weir.testkit.history;

/** What may happen in a generated history besides single charges, peeks and time that passes. */
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
    /** Leases; without them no slots are asked for. */
    LEASES,
    /** The clock steps back. */
    STEPS_BACK,
    /** The wall clock is set. */
    WALL_STEPS,
    /** The store is told to forget what is whole. */
    SWEEPS
}
