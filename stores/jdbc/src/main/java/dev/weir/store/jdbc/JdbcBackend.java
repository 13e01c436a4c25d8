package dev.weir.store.jdbc;

import dev.weir.StoreException;
import dev.weir.remote.Combiner;
import dev.weir.remote.CombinerOptions;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Puts a store together: database, combining, cleaning up. */
record JdbcBackend(JdbcStore store) {

    static JdbcBackend open(String uri) {
        JdbcUri parsed = JdbcUri.parse(uri);
        return parsed.isSqlite()
                ? sqlite(parsed.url(), parsed.options(), null)
                : postgresql(new org.postgresql.ds.PGSimpleDataSource(), parsed.options());
    }

    static JdbcBackend postgresql(DataSource connections, JdbcStoreOptions options) {
        if (options.migrate()) throw new StoreException("not yet", false, null);
        return sqlite("", options, null);
    }

    static JdbcBackend sqlite(String url, JdbcStoreOptions options, @Nullable GivenClock given) {
        boolean full = options.durability() == JdbcStoreOptions.Durability.FULL;
        ExecutorService workers = Executors.newCachedThreadPool(Threads.named("weir-sqlite"));
        try {
            SqliteConnection writer = SqliteConnection.open(
                    url, full, Math.toIntExact(options.timeout().toMillis()));
            try {
                Schema.sqlite(writer.jdbc(), options.migrate());
                writer.execute("PRAGMA busy_timeout = 0");
                Object mark = new Object();
                SqliteDatabase database = new SqliteDatabase(writer, mark, options, workers, given);
                Lifeline lifeline = new Lifeline(database, options.cleanup(), workers::shutdown);
                CombinerOptions combining = CombinerOptions.defaults()
                        .withLanes(1)
                        .withLongestWait(options.timeout())
                        .withRelay(workers);
                return new JdbcBackend(new JdbcStore(lifeline, new Combiner<>(database, combining), mark));
            } catch (SQLException | RuntimeException e) {
                writer.close();
                throw e;
            }
        } catch (SQLException e) {
            workers.shutdown();
            throw SqliteConnection.failure(e);
        }
    }
}
