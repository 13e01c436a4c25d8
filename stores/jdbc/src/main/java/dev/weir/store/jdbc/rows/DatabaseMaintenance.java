package dev.weir.store.jdbc.rows;

import dev.weir.store.jdbc.JdbcStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The background maintenance of an open database: cleans it up periodically, and closes it with its threads. */
public final class DatabaseMaintenance implements AutoCloseable {
    private static final Logger LOG = System.getLogger(JdbcStore.class.getName());

    private final Database database;
    private final AutoCloseable resources;
    private final ScheduledExecutorService caretaker;

    public DatabaseMaintenance(Database database, @Nullable Duration cleanup, AutoCloseable resources) {
        this.database = database;
        this.resources = resources;
        this.caretaker = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-jdbc-cleanup"));
        var unusedTending =
                caretaker.scheduleWithFixedDelay(() -> quietly(database::runEverySecond), 1, 1, TimeUnit.SECONDS);
        if (cleanup != null) {
            long nanos = cleanup.toNanos();
            var unused = caretaker.scheduleWithFixedDelay(
                    () -> quietly(database::sweepAll), nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Cleans up until no expired row is left. */
    public void sweep() {
        database.sweepAll();
    }

    private static void quietly(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            // The next run tries again. If the database is gone, the decisions report it.
            LOG.log(Level.DEBUG, "work in the background failed: {0}", e.getMessage());
        }
    }

    @Override
    public void close() {
        caretaker.shutdownNow();
        database.close();
        try {
            resources.close();
        } catch (Exception e) {
            LOG.log(Level.WARNING, "closing failed: {0}", e.getMessage());
        }
    }
}
