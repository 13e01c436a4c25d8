package dev.weir.memory;

/**
 * When something was decided: by the store's clock, and by the wall clock of that time, which may have been set since.
 *
 * @param nanos on the store's clock
 * @param wallMillis since 1970, for calendars
 */
record Moment(long nanos, long wallMillis) {
    /** For what gives nothing back. */
    static final Moment NONE = new Moment(0, 0);
}
