package dev.weir.example.ingest;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** The rides, in a database file of their own. Thread-safe: one operation at a time. */
final class Rides implements AutoCloseable {
    private final Connection connection;

    private Rides(Connection connection) {
        this.connection = connection;
    }

    static Rides open(String url) {
        try {
            Connection connection = DriverManager.getConnection(url);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 5000");
                statement.execute("PRAGMA synchronous = NORMAL");
                statement.execute(
                        "CREATE TABLE IF NOT EXISTS rides (id INTEGER PRIMARY KEY, device TEXT, ride BLOB NOT NULL)");
            }
            return new Rides(connection);
        } catch (SQLException e) {
            throw new IllegalStateException("the rides cannot be opened", e);
        }
    }

    /** Returns the ride's number. */
    synchronized long add(@Nullable String device, byte[] ride) {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO rides (device, ride) VALUES (?, ?) RETURNING id")) {
            insert.setString(1, device);
            insert.setBytes(2, ride);
            return number(insert);
        } catch (SQLException e) {
            throw new IllegalStateException("a ride cannot be stored", e);
        }
    }

    synchronized long count(@Nullable String device) {
        try (PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM rides WHERE device IS ?")) {
            count.setString(1, device);
            return number(count);
        } catch (SQLException e) {
            throw new IllegalStateException("the rides cannot be counted", e);
        }
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery()) {
            if (!found.next()) {
                throw new SQLException("there is no answer");
            }
            return found.getLong(1);
        }
    }

    @Override
    public synchronized void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("the rides cannot be closed", e);
        }
    }
}
