package dev.weir.store.jdbc.rows;

import dev.weir.store.jdbc.postgres.PostgresConnections;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Detects settings that another process has changed: by PostgreSQL's {@code NOTIFY}, or by polling SQLite.
 *
 * <p>PostgreSQL is polled, too. So a notification that is lost with its connection delays a change by one poll at most.
 */
public final class SettingsWatch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SettingsWatch.class.getName());
    private static final String CHANNEL = "weir_settings";

    private final Duration poll;
    private final @Nullable PostgresConnections notifying;
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /**
     * Creates a watch that has not started.
     *
     * @param notifying PostgreSQL's connections; null for SQLite
     */
    public SettingsWatch(Duration poll, @Nullable PostgresConnections notifying) {
        this.poll = poll;
        this.notifying = notifying;
    }

    /** Starts to call the listener whenever the settings may have changed. */
    public void start(Runnable look) {
        Thread started = DaemonThreads.named("weir-settings").newThread(() -> watch(look));
        thread = started;
        started.start();
    }

    /** Notifies the other nodes when the transaction is committed. */
    public void notifyOthers(Connection connection) throws SQLException {
        if (notifying != null) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("NOTIFY " + CHANNEL);
            }
        }
    }

    private void watch(Runnable look) {
        while (!closed) {
            try {
                if (notifying == null) {
                    pause();
                    look(look);
                } else {
                    listen(notifying, look);
                }
            } catch (SQLException | RuntimeException e) {
                if (!closed) {
                    LOG.log(Level.DEBUG, "settings cannot be polled: {0}", e.getMessage());
                    pause();
                }
            }
        }
    }

    private void listen(PostgresConnections connections, Runnable look) throws SQLException {
        try (Connection connection = connections.take()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("LISTEN " + CHANNEL);
            }
            PGConnection driver = connection.unwrap(PGConnection.class);
            while (!closed) {
                look(look);
                var unused = driver.getNotifications(Math.toIntExact(Math.max(1, poll.toMillis())));
            }
        }
    }

    private void look(Runnable look) {
        if (!closed) {
            look.run();
        }
    }

    private void pause() {
        if (!closed) {
            LockSupport.parkNanos(poll.toNanos());
        }
    }

    @Override
    public void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }
}
