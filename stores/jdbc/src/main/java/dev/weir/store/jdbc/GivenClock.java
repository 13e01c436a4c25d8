package dev.weir.store.jdbc;

/** A clock that a test gives in place of the database's. */
interface GivenClock {
    /** Microseconds since 1970; may step anywhere. */
    long micros();

    /** Milliseconds since 1970 by the wall clock, which calendar windows follow. */
    long wallMillis();
}
