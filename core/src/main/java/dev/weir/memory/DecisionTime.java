package dev.weir.memory;

/**
 * The time of a decision: on the store's clock, and on the wall clock of that time, which may have been set since.
 *
 * @param nanos nanoseconds on the store's clock
 * @param wallMillis milliseconds since 1970, for calendars
 */
record DecisionTime(long nanos, long wallMillis) {
    /** For operations that give nothing back. */
    static final DecisionTime NONE = new DecisionTime(0, 0);
}
