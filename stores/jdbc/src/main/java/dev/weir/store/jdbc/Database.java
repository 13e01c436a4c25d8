package dev.weir.store.jdbc;

import dev.weir.remote.BatchCall;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A database that decides questions: each trip is one transaction.
 *
 * <p>What it learns of time goes through its {@link MonotonicTime}. Failures are {@link dev.weir.StoreException}s that name
 * no password.
 */
interface Database extends BatchCall<SqlRequest, Object>, AutoCloseable {

    /** Statements that belong together. */
    interface Work<T extends @Nullable Object> {
        /**
         * Does it.
         *
         * @param nowMicros the time, once the lock is held
         */
        T with(Connection connection, long nowMicros) throws SQLException;
    }

    /**
     * Makes one transaction of some statements, apart from the trips. Waits, so it is nothing for an event loop.
     *
     * @param lock whoever names the same number waits until it is over
     * @param durable whether it must be on disk when this returns, whatever the options say
     */
    <T extends @Nullable Object> T transaction(long lock, boolean durable, Work<T> work);

    /** Reads something. */
    <T extends @Nullable Object> T read(Work<T> work);

    /** Removes rows that carry no information any more, a few at a time and without making anybody wait. */
    void sweepAll();

    /** What the database needs done every second, in the background. */
    default void runEverySecond() {}

    @Override
    void close();
}
