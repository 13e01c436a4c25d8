package dev.weir.store.jdbc;

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
                : postgresql(PostgresConnections.open(parsed.url(), parsed.options()), parsed.options(), null);
    }

    static JdbcBackend postgresql(DataSource connections, JdbcStoreOptions options) {
        return postgresql(PostgresConnections.of(connections), options, null);
    }

    static JdbcBackend postgresql(
            PostgresConnections connections, JdbcStoreOptions options, @Nullable GivenClock given) {
        ExecutorService lanes = Executors.newFixedThreadPool(options.lanes(), Threads.named("weir-postgresql"));
        try {
            Schema.postgresql(connections, options.migrate());
            Object mark = new Object();
            PostgresDatabase database = new PostgresDatabase(connections, mark, options, lanes, given);
            Lifeline lifeline = new Lifeline(database, options.cleanup(), () -> {
                lanes.shutdown();
                connections.close();
            });
            CombinerOptions combining = CombinerOptions.defaults()
                    .withLanes(options.lanes())
                    .withLongestWait(options.timeout())
                    .withRelay(lanes);
            return new JdbcBackend(new JdbcStore(lifeline, new Combiner<>(database, combining), mark));
        } catch (RuntimeException e) {
            lanes.shutdown();
            connections.close();
            throw e;
        }
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
