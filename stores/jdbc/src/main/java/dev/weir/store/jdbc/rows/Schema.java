package dev.weir.store.jdbc.rows;

import dev.weir.StoreException;
import dev.weir.store.jdbc.postgres.PostgresConnections;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Creates and upgrades Weir's tables. Each version is a plain SQL file beside this class, {@code sqlite-1.sql} and so
 * on. Users who run migrations by other means run these files.
 */
public final class Schema {
    /** The versions that this code requires. */
    static final int SQLITE = 1;

    static final int POSTGRESQL = 2;

    private Schema() {}

    /** Upgrades the tables of a SQLite file, or throws an exception that names the missing version. */
    public static void sqlite(Connection connection, boolean migrate) throws SQLException {
        int found = versionOf(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'weir_schema'");
        if (isRight(found, SQLITE, migrate, "sqlite")) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            try {
                // Another process may have upgraded the file while this one waited.
                int present = versionOf(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'weir_schema'");
                for (int version = present + 1; version <= SQLITE; version++) {
                    statement.executeUpdate(script("sqlite-" + version + ".sql"));
                }
                statement.execute("COMMIT");
            } catch (SQLException | RuntimeException e) {
                statement.execute("ROLLBACK");
                throw e;
            }
        }
    }

    /** Upgrades the tables of a PostgreSQL schema, or throws an exception that names the missing version. */
    public static void postgresql(PostgresConnections connections, boolean migrate) {
        requireReadCommitted(connections);
        String exists = "SELECT count(*) FROM pg_class WHERE oid = to_regclass('weir_schema')";
        int found = connections.autocommit(connection -> versionOf(connection, exists));
        if (isRight(found, POSTGRESQL, migrate, "postgresql")) {
            return;
        }
        boolean unused = connections.transaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                // Nodes that start at the same time take turns: the first one upgrades.
                statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('weir_schema', 0))");
                for (int version = versionOf(connection, exists) + 1; version <= POSTGRESQL; version++) {
                    statement.execute(script("postgresql-" + version + ".sql"));
                }
            }
            return true;
        });
    }

    /** At stricter levels a statement does not see rows that were written while it waited for its locks. */
    private static void requireReadCommitted(PostgresConnections connections) {
        String isolation = connections.autocommit(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW transaction_isolation")) {
                return row.next() ? row.getString(1) : "";
            }
        });
        if (!isolation.equals("read committed")) {
            throw new StoreException(
                    "the connections' transaction isolation is " + isolation
                            + "; it must be read committed, PostgreSQL's default",
                    false,
                    null);
        }
    }

    /** Whether the tables have the right version; throws if they do not and may not be upgraded. */
    static boolean isRight(int found, int needed, boolean migrate, String dialect) {
        if (found > needed) {
            throw new StoreException(
                    "the tables have version " + found + " and this version of Weir knows " + needed
                            + "; use the version that made them, or a newer one",
                    false,
                    null);
        }
        if (found < needed && !migrate) {
            throw new StoreException(
                    "the tables have version " + found + " and this version of Weir needs " + needed + "; run "
                            + dialect + "-" + (found + 1) + ".sql, or let Weir do it with migrate=true",
                    false,
                    null);
        }
        return found == needed;
    }

    /** The version of the tables; 0 if there are none. */
    static int versionOf(Connection connection, String exists) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet count = statement.executeQuery(exists)) {
                count.next();
                if (count.getInt(1) == 0) {
                    return 0;
                }
            }
            try (ResultSet version = statement.executeQuery("SELECT max(version) FROM weir_schema")) {
                version.next();
                return version.getInt(1);
            }
        }
    }

    /** The text of a script. */
    public static String script(String name) {
        try (InputStream in = Schema.class.getResourceAsStream("/dev/weir/store/jdbc/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
