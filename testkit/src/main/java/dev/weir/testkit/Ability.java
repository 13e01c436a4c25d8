package dev.weir.testkit;

/**
 * What a test may need that not every store has.
 *
 * <p>A contract test declares what its store lacks ({@link StoreContract#missing()}); only what is declared is skipped.
 */
public enum Ability {
    /** Its given clock can be set back. */
    CLOCK_STEPS_BACK,
    /** When its clock steps back, that counts as no time at all for every key alike, to the tick. */
    STEADY_CLOCK,
    /** Every decision of its running clock tells the very tick at which it was made, and ticks never go back. */
    EXACT_MOMENTS,
    /** It keeps policies on microseconds since 1970, as the golden vectors do. */
    MICROSECONDS,
    /** It keeps buckets whose numbers exceed 2^50 on no coarser clock than others, and refuses none that 64 bits hold. */
    LARGE_BUCKETS,
    /** It can be told to forget what is whole. */
    SWEEP
}
