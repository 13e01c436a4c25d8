package dev.weir.store.jdbc;

import dev.weir.StoreException;
import dev.weir.remote.Batcher;
import dev.weir.remote.BatcherOptions;
import dev.weir.remote.SpinWait;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.store.jdbc.postgres.PostgresConnections;
import dev.weir.store.jdbc.postgres.PostgresDatabase;
import dev.weir.store.jdbc.rows.DaemonThreads;
import dev.weir.store.jdbc.rows.Database;
import dev.weir.store.jdbc.rows.DatabaseMaintenance;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.store.jdbc.rows.Schema;
import dev.weir.store.jdbc.rows.SettingsWatch;
import dev.weir.store.jdbc.sqlite.SqliteConnection;
import dev.weir.store.jdbc.sqlite.SqliteDatabase;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An open database with everything that Weir stores in it: budgets, settings, responses. Closing the store closes it.
 *
 * <pre>{@code
 * JdbcBackend backend = JdbcBackend.open("jdbc:sqlite:/var/lib/weir/limits.db");
 * Weir weir = Weir.of(configuration, backend.store(), backend.settings(new JsonSettingsFormat()));
 * }</pre>
 */
public final class JdbcBackend {
    private final Database database;
    private final JdbcStore store;
    private final ExecutorService workers;
    private final SettingsWatch watch;
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable Settings settings;

    private JdbcBackend(Database database, JdbcStore store, ExecutorService workers, SettingsWatch watch) {
        this.database = database;
        this.store = store;
        this.workers = workers;
        this.watch = watch;
    }

    /**
     * Opens the database of a URI, {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://…}, with options in the query.
     * Its driver must be on the class path: {@code org.xerial:sqlite-jdbc} or {@code org.postgresql:postgresql}.
     *
     * @throws IllegalArgumentException if the URI is wrong; the message does not repeat it
     * @throws dev.weir.StoreException if the database cannot be reached or its tables cannot be used
     */
    public static JdbcBackend open(String uri) {
        try {
            JdbcUri parsed = JdbcUri.parse(uri);
            return parsed.isSqlite()
                    ? sqlite(parsed.url(), parsed.options(), null)
                    : postgresql(PostgresConnections.open(parsed.url(), parsed.options()), parsed.options(), null);
        } catch (NoClassDefFoundError e) {
            throw withoutDriver(e);
        }
    }

    /** Drivers are optional dependencies: an application has only those of the databases that it uses. */
    private static StoreException withoutDriver(NoClassDefFoundError missing) {
        String name = String.valueOf(missing.getMessage());
        if (!name.startsWith("org/sqlite/") && !name.startsWith("org/postgresql/")) {
            throw missing;
        }
        return new StoreException(
                "the driver of this database is missing; add the Maven artifact "
                        + (name.startsWith("org/sqlite/") ? "org.xerial:sqlite-jdbc" : "org.postgresql:postgresql")
                        + " to the class path",
                false,
                missing);
    }

    /**
     * Uses the application's own PostgreSQL connections, which stay open when the store is closed. The application sets
     * their statement timeout.
     *
     * @param connections at least {@code options.maxInFlight() + 3} of them
     */
    public static JdbcBackend postgresql(DataSource connections, JdbcStoreOptions options) {
        return postgresql(PostgresConnections.of(connections, options), options, null);
    }

    static JdbcBackend postgresql(
            PostgresConnections connections, JdbcStoreOptions options, @Nullable GivenClock given) {
        ExecutorService executor =
                Executors.newFixedThreadPool(options.maxInFlight(), DaemonThreads.named("weir-postgresql"));
        ExecutorService workers = workers("weir-postgresql-other");
        Runnable resources = () -> {
            executor.shutdown();
            workers.shutdown();
            connections.close();
        };
        try {
            Schema.postgresql(connections, options.migrate());
            Object mark = new Object();
            PostgresDatabase database = new PostgresDatabase(connections, mark, given);
            DatabaseMaintenance maintenance = new DatabaseMaintenance(database, options.cleanup(), resources::run);
            BatcherOptions batching = BatcherOptions.defaults()
                    .withMaxInFlight(options.maxInFlight())
                    .withLongestWait(options.timeout())
                    .withExecutor(executor);
            JdbcStore store = new JdbcStore(maintenance, new Batcher<>(database, batching), mark, options.timeout());
            return new JdbcBackend(database, store, workers, new SettingsWatch(options.poll(), connections));
        } catch (RuntimeException e) {
            resources.run();
            throw e;
        }
    }

    static JdbcBackend sqlite(String url, JdbcStoreOptions options, @Nullable GivenClock given) {
        boolean full = options.durability() == JdbcStoreOptions.Durability.FULL;
        ExecutorService workers = workers("weir-sqlite");
        try {
            SqliteConnection writer = SqliteConnection.open(
                    url, full, Math.toIntExact(options.timeout().toMillis()));
            try {
                Schema.sqlite(writer.jdbc(), options.migrate());
                writer.execute("PRAGMA busy_timeout = 0");
                Object mark = new Object();
                SqliteConnection background = SqliteConnection.open(url, full, 0);
                SqliteDatabase database;
                try {
                    database = new SqliteDatabase(writer, background, mark, options, workers, given);
                } catch (RuntimeException e) {
                    background.close();
                    throw e;
                }
                DatabaseMaintenance maintenance =
                        new DatabaseMaintenance(database, options.cleanup(), workers::shutdown);
                BatcherOptions batching = BatcherOptions.defaults()
                        .withMaxInFlight(1)
                        .withLongestWait(options.timeout())
                        .withRelay(workers)
                        .withSpinWait(options.spin() ? SpinWait.spinning() : null);
                JdbcStore store =
                        new JdbcStore(maintenance, new Batcher<>(database, batching), mark, options.timeout());
                return new JdbcBackend(database, store, workers, new SettingsWatch(options.poll(), null));
            } catch (SQLException | RuntimeException e) {
                writer.close();
                throw e;
            }
        } catch (SQLException e) {
            workers.shutdown();
            throw SqliteConnection.failure(e);
        } catch (RuntimeException e) {
            workers.shutdown();
            throw e;
        }
    }

    /** A pool that grows to a bound; beyond it calls are rejected. */
    private static ExecutorService workers(String name) {
        return new ThreadPoolExecutor(0, 64, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), DaemonThreads.named(name));
    }

    public JdbcStore store() {
        return store;
    }

    Database database() {
        return database;
    }

    /**
     * The settings, opened by the first call.
     *
     * @param format the format of the document; for an engine, {@code new JsonSettingsFormat()}
     */
    public Settings settings(SettingsFormat format) {
        opening.lock(); // no monitor: opening them reads the database, which would pin a virtual thread
        try {
            if (settings == null) {
                settings = new JdbcSettings(database, watch, format);
            }
            return settings;
        } finally {
            opening.unlock();
        }
    }

    /** Responses by idempotency key. */
    public ResponseStore responses() {
        return new JdbcResponses(database, workers);
    }
}
