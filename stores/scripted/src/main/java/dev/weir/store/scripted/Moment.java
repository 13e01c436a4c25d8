package dev.weir.store.scripted;

/**
 * When the script ran, by its own clock.
 *
 * @param micros microseconds since 1970
 * @param wallMillis milliseconds since 1970 on the wall; the same clock, but for a test that sets them apart
 */
record Moment(long micros, long wallMillis) {}
