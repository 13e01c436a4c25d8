package dev.weir.store.jdbc.rows;

import dev.weir.remote.BatchCall;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A database that decides batches of requests. Each batch is atomic.
 *
 * <p>Every time that it reads goes through its {@link MonotonicTime}. Failures are {@link dev.weir.StoreException}s, whose
 * messages contain no password.
 */
public interface Database extends BatchCall<SqlRequest, Object>, AutoCloseable {

    /** The statements of one transaction. */
    interface TransactionWork<T extends @Nullable Object> {
        /**
         * Executes the statements.
         *
         * @param nowMicros the time, once the lock is held
         */
        T with(Connection connection, long nowMicros) throws SQLException;
    }

    /**
     * Executes statements in one transaction, beside the batches. Blocks: never call it in an event loop.
     *
     * @param lock the number of a lock that the transaction holds
     * @param durable whether it must be on disk when this returns, whatever the options say
     */
    <T extends @Nullable Object> T transaction(long lock, boolean durable, TransactionWork<T> work);

    /** Executes statements that only read. Blocks. */
    <T extends @Nullable Object> T read(TransactionWork<T> work);

    /** Removes expired rows, a few in each transaction, so that decisions do not wait for it. */
    void sweepAll();

    /** The maintenance of the database that runs every second in the background. */
    default void runEverySecond() {}

    @Override
    void close();
}
