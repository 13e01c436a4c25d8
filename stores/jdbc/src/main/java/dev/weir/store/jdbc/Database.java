package dev.weir.store.jdbc;

import dev.weir.remote.Trip;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A database that decides questions: each trip is one transaction.
 *
 * <p>What it learns of time goes through its {@link SteadyTime}. Failures are {@link dev.weir.StoreException}s that name
 * no password.
 */
interface Database extends Trip<Question, Object>, AutoCloseable {

    /** Statements that belong together. */
    interface Work<T> {
        /** @param nowMicros the time, once the lock is held */
        T with(Connection connection, long nowMicros) throws SQLException;
    }

    /**
     * Makes one transaction of some statements, apart from the trips. Waits, so it is nothing for an event loop.
     *
     * @param lock whoever names the same number waits until it is over
     * @param durable whether it must be on disk when this returns, whatever the options say
     */
    <T> T transaction(long lock, boolean durable, Work<T> work);

    /** Reads something. */
    <T> T read(Work<T> work);

    /** Removes rows that carry no information any more, a few at a time and without making anybody wait. */
    void sweepAll();

    @Override
    void close();
}
