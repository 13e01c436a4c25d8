package dev.weir.memory;

/**
 * The time of a decision: on the store's clock, and on the wall clock of that time, which may have been set since.
 *
 * @param nanos nanoseconds on the store's clock
 * @param wallMillis milliseconds since 1970, for calendars
 */
record Moment(long nanos, long wallMillis) {
    /** For operations that give nothing back. */
    static final Moment NONE = new Moment(0, 0);
}
