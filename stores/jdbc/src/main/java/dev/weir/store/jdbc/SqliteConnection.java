package dev.weir.store.jdbc;

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
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * One connection to a SQLite file, with its statements at hand. Not safe for use by several threads.
 *
 * <p>It never waits for another's lock by itself: SQLite's own busy handler sleeps for up to a tenth of a second at a
 * time. Whoever uses it sees {@link #isBusy} and decides.
 */
final class SqliteConnection implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    private SqliteConnection(Connection connection) {
        this.connection = connection;
    }

    /**
     * Opens a file, making it if need be.
     *
     * @param busyMillis how long SQLite itself waits for a lock: only while the file is opened and upgraded
     */
    static SqliteConnection open(String url, boolean full, int busyMillis) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setSynchronous(full ? SynchronousMode.FULL : SynchronousMode.NORMAL);
        config.setBusyTimeout(busyMillis);
        Connection connection = connect(config, url);
        try (Statement statement = connection.createStatement()) {
            // A check changes one row, and writes its page: small pages are written faster. Only a new file takes this.
            statement.execute("PRAGMA page_size = 1024");
            statement.execute("PRAGMA journal_mode = WAL");
            // Checkpoints sync the disk: they are made in the background, not by whoever commits the thousandth page.
            // Only
            // should that fail does the committer make one, so that the log cannot grow for ever.
            statement.execute("PRAGMA wal_autocheckpoint = 131072");
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return new SqliteConnection(connection);
    }

    /** Gives a failure the code that it has from newer drivers: older ones look for the directory themselves. */
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

    Connection jdbc() {
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

    void execute(String sql) throws SQLException {
        statement(sql).execute();
    }

    /** The first column of the first row; null if there is none. */
    @Nullable
    Long number(String sql) throws SQLException {
        try (ResultSet row = statement(sql).executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    /** Lets go of all statements: after a failure the driver may take one for running still. */
    void discardStatements() {
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                // It is not used any more.
            }
        }
        statements.clear();
    }

    /** Undoes what was begun, if anything was. */
    void rollback() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            // SQLite has rolled back by itself, as it does when the disk is full: there is no transaction any more.
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

    /** The failure as the store's callers see it. */
    static StoreException failure(SQLException e) {
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
