package dev.weir.store.jdbc.sqlite;

import dev.weir.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * One connection to a SQLite file, with a cache of prepared statements. Not safe for use by several threads.
 *
 * <p>It does not wait for locks: SQLite's own busy handler sleeps for up to a tenth of a second at a time. The caller
 * gets an exception, calls {@link #isBusy} and decides.
 */
public final class SqliteConnection implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    private SqliteConnection(Connection connection) {
        this.connection = connection;
    }

    /**
     * Opens a file, and creates it if it does not exist.
     *
     * @param busyMillis how long SQLite itself waits for a lock: only while the file is opened and upgraded
     */
    public static SqliteConnection open(String url, boolean full, int busyMillis) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setSynchronous(full ? SynchronousMode.FULL : SynchronousMode.NORMAL);
        config.setBusyTimeout(busyMillis);
        Connection connection = connect(config, url);
        try (Statement statement = connection.createStatement()) {
            // A check changes one row and writes its page, and small pages are written faster. Applies to a new file
            // only.
            statement.execute("PRAGMA page_size = 1024");
            statement.execute("PRAGMA journal_mode = WAL");
            // Checkpoints sync the disk, so they run in the background. A commit runs one only at this length of the
            // log,
            // which keeps the log bounded if the background fails.
            statement.execute("PRAGMA wal_autocheckpoint = 131072");
            // In this mode the driver would test for an open transaction after each statement, by beginning another
            // one.
            // Weir begins and ends its transactions itself.
            connection.unwrap(SQLiteConnection.class).getConnectionConfig().setAutoCommit(false);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return new SqliteConnection(connection);
    }

    /** Older drivers look for the directory themselves and fail without a code; this adds the one of newer drivers. */
    private static Connection connect(SQLiteConfig config, String url) throws SQLException {
        try {
            return config.createConnection(url);
        } catch (SQLiteException e) {
            throw e;
        } catch (SQLException e) {
            SQLiteException known = new SQLiteException(e.getMessage(), SQLiteErrorCode.SQLITE_CANTOPEN);
            known.initCause(e);
            throw known;
        }
    }

    public Connection jdbc() {
        return connection;
    }

    PreparedStatement statement(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known == null) {
            known = connection.prepareStatement(sql);
            statements.put(sql, known);
        }
        return known;
    }

    public void execute(String sql) throws SQLException {
        statement(sql).execute();
    }

    /** The first column of the first row; null if there is none. */
    @Nullable
    Long number(String sql) throws SQLException {
        try (ResultSet row = statement(sql).executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    /** Closes all statements: after a failure the driver may consider one of them still running. */
    void discardStatements() {
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                // The statement is not used again.
            }
        }
        statements.clear();
    }

    /** Rolls back the transaction, if there is one. */
    void rollback() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            // SQLite has already rolled back, for example because the disk is full.
            if (!String.valueOf(e.getMessage()).contains("no transaction")) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Whether another connection, here or in another process, held the lock. */
    static boolean isBusy(SQLException e) {
        return e instanceof SQLiteException known
                && (known.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_BUSY.code;
    }

    /** The failure as callers of the store get it. */
    public static StoreException failure(SQLException e) {
        SQLiteErrorCode code =
                e instanceof SQLiteException known ? known.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
        String what = switch (code.code & 0xff) {
            case 5 -> "the SQLite file is locked by another process";
            case 8 -> "the SQLite file is read-only; let this user write the file and its directory";
            case 10 -> "the disk of the SQLite file fails: " + code.name();
            case 11, 26 -> "the SQLite file is damaged or is none; restore a copy";
            case 13 -> "the disk of the SQLite file is full; nothing was spent, make room";
            case 14 -> "the SQLite file cannot be opened; its directory must exist, and this user may write it";
            default -> "SQLite failed: " + e.getMessage();
        };
        return new StoreException(what, (code.code & 0xff) != 11 && (code.code & 0xff) != 26, e);
    }
}
