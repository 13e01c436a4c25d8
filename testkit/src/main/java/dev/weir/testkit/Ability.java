package dev.weir.testkit;

/**
 * A capability that some tests need and not every store has.
 *
 * <p>A contract test declares the capabilities that its store lacks ({@link StoreContract#missing()}). Only tests that
 * need a declared gap are skipped.
 */
public enum Ability {
    /** A given clock can be set back. */
    CLOCK_STEPS_BACK,
    /** When the clock steps back, no time passes for any key, to the tick. */
    STEADY_CLOCK,
    /** Each decision of a running clock reports the tick at which it was made, and ticks never go back. */
    EXACT_MOMENTS,
    /** Policies are kept in microseconds since 1970, as in the golden vectors. */
    MICROSECONDS,
    /**
     * Buckets whose numbers exceed 2^50 are kept on as fine a clock as others; none that fits in 64 bits is refused.
     */
    LARGE_BUCKETS,
    /** A test can make the store evict full budgets. */
    SWEEP
}
