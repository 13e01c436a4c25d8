package dev.weir.store.scripted;

/**
 * The time at which the script ran, by the backend's clock.
 *
 * @param micros the store's time in microseconds since 1970, which never goes back
 * @param wallMillis the wall clock in milliseconds since 1970; the same clock, except in tests that set them apart
 */
record ScriptTime(long micros, long wallMillis) {}
