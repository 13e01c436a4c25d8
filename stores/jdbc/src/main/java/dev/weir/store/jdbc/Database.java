package dev.weir.store.jdbc;

import dev.weir.remote.Trip;

/**
 * A database that decides questions: each trip is one transaction.
 *
 * <p>What it learns of time goes through its {@link SteadyTime}. Failures are {@link dev.weir.StoreException}s that name
 * no password.
 */
interface Database extends Trip<Question, Object>, AutoCloseable {

    /** Removes rows that carry no information any more, a few at a time and without making anybody wait. */
    void sweepAll();

    @Override
    void close();
}
