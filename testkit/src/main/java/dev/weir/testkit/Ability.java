package dev.weir.testkit;

/**
 * What a test may need that not every store has.
 *
 * <p>A contract test declares what its store lacks ({@link StoreContract#missing()}); only what is declared is skipped.
 */
public enum Ability {
    /** Its clock is given: a test moves it, and time stands still otherwise. */
    GIVEN_CLOCK,
    /** Its given clock can be set back. */
    CLOCK_STEPS_BACK,
    /** When its clock steps back, that counts as no time at all for every key alike, to the tick. */
    STEADY_CLOCK,
    /** Its clock is its own, and runs. */
    RUNNING_CLOCK,
    /** Every decision of its running clock tells the very tick at which it was made, and ticks never go back. */
    EXACT_MOMENTS,
    /** It keeps policies on microseconds since 1970, as the golden vectors do. */
    MICROSECONDS,
    /** It keeps buckets whose numbers exceed 2^50 on no coarser clock than others, and refuses none that 64 bits hold. */
    LARGE_BUCKETS,
    /** It can be told to forget what is whole. */
    SWEEP,
    /** It knows the calendar. */
    CALENDAR,
    /**
     * A call over several keys is one step, also a reservation: one that is refused leaves no trace, not even that
     * something was spent and given back.
     */
    ONE_STEP
}
