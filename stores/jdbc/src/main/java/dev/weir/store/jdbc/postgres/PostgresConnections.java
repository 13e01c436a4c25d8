package dev.weir.store.jdbc.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.JdbcStoreOptions;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.StateColumns;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** The connections to PostgreSQL: Weir's own pool, or the application's. Safe for use by any number of threads. */
public final class PostgresConnections implements AutoCloseable {
    private static final int MOST_ATTEMPTS = 5;
    /** Serialization failure, such as a hold that changed while its row was searched, and deadlock. */
    private static final Set<String> WORTH_ANOTHER_TRY = Set.of("40001", "40P01");

    private final DataSource source;
    private final AutoCloseable pool;

    /** The value of {@code synchronous_commit} that each transaction must set; null if the connections have it. */
    private final @Nullable String commit;

    private PostgresConnections(DataSource source, AutoCloseable pool, @Nullable String commit) {
        this.source = source;
        this.pool = pool;
        this.commit = commit;
    }

    /** The application's connections. */
    public static PostgresConnections of(DataSource source, JdbcStoreOptions options) {
        return new PostgresConnections(source, () -> {}, commit(options.durability()));
    }

    /** The same connections, which stay open when this is closed. */
    public static PostgresConnections sharing(PostgresConnections others) {
        return new PostgresConnections(others.source, () -> {}, null);
    }

    /** A pool of Weir's own. */
    public static PostgresConnections open(String url, JdbcStoreOptions options) {
        Duration timeout = options.timeout();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setPoolName("weir");
        config.setMaximumPoolSize(options.maxInFlight() + 3);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(250, timeout.toMillis()));
        config.setValidationTimeout(Math.max(250, timeout.toMillis()));
        config.setInitializationFailTimeout(-1);
        String commit = commit(options.durability());
        config.setConnectionInitSql("SET statement_timeout = " + timeout.toMillis()
                + (commit == null ? "" : "; SET synchronous_commit = " + commit));
        // The server cancels statements at their timeout. The timeout of the socket is for a server that is gone.
        String seconds = Long.toString(timeout.toSeconds() + 1);
        addUnlessGiven(config, url, "socketTimeout", seconds);
        addUnlessGiven(config, url, "connectTimeout", seconds);
        addUnlessGiven(config, url, "tcpKeepAlive", "true");
        // The details of an error contain values of a row, such as a key, and would be logged.
        addUnlessGiven(config, url, "logServerErrorDetail", "false");
        addUnlessGiven(config, url, "ApplicationName", "weir");
        HikariDataSource pool = new HikariDataSource(config);
        return new PostgresConnections(pool, pool, null);
    }

    private static @Nullable String commit(JdbcStoreOptions.Durability durability) {
        return switch (durability) {
            case FULL -> "on";
            case NORMAL -> "off";
            case DEFAULT -> null;
        };
    }

    private static void addUnlessGiven(HikariConfig config, String url, String name, String value) {
        if (!url.contains(name + "=")) {
            config.addDataSourceProperty(name, value);
        }
    }

    /** Statements on a connection. */
    public interface ConnectionWork<T extends @Nullable Object> {
        T with(Connection connection) throws SQLException;
    }

    /** Executes one statement, which is a transaction of its own. */
    public <T extends @Nullable Object> T autocommit(ConnectionWork<T> work) {
        return repeatedly(() -> {
            try (Connection connection = source.getConnection()) {
                if (commit == null && connection.getAutoCommit()) {
                    return work.with(connection);
                }
                return inTransaction(connection, work);
            }
        });
    }

    /** Executes statements in one transaction. */
    public <T extends @Nullable Object> T transaction(ConnectionWork<T> work) {
        return repeatedly(() -> {
            try (Connection connection = source.getConnection()) {
                return inTransaction(connection, work);
            }
        });
    }

    private <T extends @Nullable Object> T inTransaction(Connection connection, ConnectionWork<T> work)
            throws SQLException {
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            if (commit != null) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET LOCAL synchronous_commit = " + commit);
                }
            }
            T result = work.with(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            undo(connection, e);
            throw e;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(before);
            }
        }
    }

    /** A connection that the caller closes. */
    public Connection take() throws SQLException {
        return source.getConnection();
    }

    private interface RetriedStatements<T extends @Nullable Object> {
        T make() throws SQLException;
    }

    private static <T extends @Nullable Object> T repeatedly(RetriedStatements<T> attempt) {
        for (int attempts = 1; ; attempts++) {
            try {
                return attempt.make();
            } catch (SQLException e) {
                if (attempts == MOST_ATTEMPTS || !WORTH_ANOTHER_TRY.contains(String.valueOf(e.getSQLState()))) {
                    throw failure(e);
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1, 2_000_000L * attempts));
            }
        }
    }

    private static void undo(Connection connection, Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The connection is closed, which ends the transaction.
            cause.addSuppressed(e);
        }
    }

    /** The failure as callers of the store get it: without the driver's text where that may contain a password. */
    static StoreException failure(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (state.startsWith("08") || state.startsWith("57P")) {
            return unreachable(e);
        }
        if (state.startsWith("28")) {
            return new StoreException(
                    "PostgreSQL refuses the user or the password; correct them in the store's URI, as in"
                            + " ?user=...&password=...",
                    false,
                    null);
        }
        return switch (state) {
            case "3D000" ->
                new StoreException(
                        "PostgreSQL has no such database; create it, or correct its name in the store's URI", false, e);
            case "57014" -> new StoreException("PostgreSQL took too long", true, e);
            case "53100" -> new StoreException("PostgreSQL's disk is full", true, e);
            case "53300" -> new StoreException("PostgreSQL accepts no more connections", true, e);
            case "42P01", "42883" ->
                new StoreException(
                        "PostgreSQL lacks Weir's tables or functions in this schema; run postgresql-1.sql and -2.sql, or set"
                                + " migrate=true",
                        false,
                        e);
            case "42501" -> new StoreException("PostgreSQL denies this user the operation", false, e);
            // The pool has no connection, and the server gave no reason.
            default ->
                e instanceof SQLTransientConnectionException
                        ? unreachable(e)
                        : new StoreException("PostgreSQL failed (" + state + ")", true, e);
        };
    }

    private static StoreException unreachable(SQLException e) {
        return new StoreException("PostgreSQL cannot be reached" + cause(e), true, e);
    }

    private static String cause(SQLException e) {
        Throwable deepest = e;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return deepest instanceof java.io.IOException ? ": " + deepest.getMessage() : "";
    }

    // Arrays, which the driver sends in its binary form.

    static void setLongs(PreparedStatement statement, int index, long[] values) throws SQLException {
        statement.setArray(index, driver(statement).createArrayOf("int8", values));
    }

    static void setInts(PreparedStatement statement, int index, int[] values) throws SQLException {
        statement.setArray(index, driver(statement).createArrayOf("int4", values));
    }

    static void setTexts(PreparedStatement statement, int index, String[] values) throws SQLException {
        statement.setArray(index, driver(statement).createArrayOf("text", values));
    }

    static void setKeys(PreparedStatement statement, int index, List<RowKey> keys) throws SQLException {
        byte[][] bytes = new byte[keys.size()][];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = keys.get(i).bytes();
        }
        setBytes(statement, index, bytes);
    }

    static void setBytes(PreparedStatement statement, int index, byte[][] values) throws SQLException {
        statement.setArray(index, driver(statement).createArrayOf("bytea", values));
    }

    static long @Nullable [] numbers(@Nullable Array array) throws SQLException {
        return array == null
                ? null
                : Arrays.stream((Long[]) array.getArray())
                        .mapToLong(Long::longValue)
                        .toArray();
    }

    /** A row's columns {@code a}, {@code b} and {@code more}, from this index on. */
    static StateColumns states(ResultSet found, int index) throws SQLException {
        return new StateColumns(found.getLong(index), found.getLong(index + 1), numbers(found.getArray(index + 2)));
    }

    private static PGConnection driver(PreparedStatement statement) throws SQLException {
        return statement.getConnection().unwrap(PGConnection.class);
    }

    @Override
    public void close() {
        try {
            pool.close();
        } catch (Exception e) {
            throw new StoreException("the connections to PostgreSQL could not be closed", false, e);
        }
    }
}
