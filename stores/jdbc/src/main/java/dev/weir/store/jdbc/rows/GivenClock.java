package dev.weir.store.jdbc.rows;

/** A clock for tests, which replaces the clock of the database. */
public interface GivenClock {
    /** Microseconds since 1970; may step anywhere. */
    long micros();

    /** Milliseconds since 1970 by the wall clock, which calendar windows follow. */
    long wallMillis();
}
