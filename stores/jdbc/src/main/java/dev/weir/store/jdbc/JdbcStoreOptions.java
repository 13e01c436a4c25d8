package dev.weir.store.jdbc;

import dev.weir.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a SQL store. Immutable.
 *
 * @param timeout how long a batch may take, including the wait for locks
 * @param durability when a decision counts as stored
 * @param maxInFlight how many batches are in flight at once; with one, batches are largest. SQLite has one writer and always
 *     uses one
 * @param cleanup how often expired rows are removed, a few at a time; null for never
 * @param poll how often settings are polled for changes of other processes
 * @param migrate whether to create and upgrade the tables; otherwise they must exist in the right version
 * @param spin whether threads that wait for SQLite spin for up to 0.2 ms before they park
 */
public record JdbcStoreOptions(
        Duration timeout,
        Durability durability,
        int maxInFlight,
        @Nullable Duration cleanup,
        Duration poll,
        boolean migrate,
        boolean spin) {

    private static final JdbcStoreOptions DEFAULTS = new JdbcStoreOptions(
            Duration.ofSeconds(1), Durability.DEFAULT, 1, Duration.ofSeconds(5), Duration.ofSeconds(1), true, false);

    /** Where a decision must be stored before it is returned. */
    public enum Durability {
        /**
         * PostgreSQL: its own default, on disk. SQLite: in the operating system. A crash of the process loses nothing;
         * a crash of the machine may lose the last moments.
         */
        DEFAULT,
        /** On disk. */
        FULL,
        /** In the database process or the operating system: a crash of the machine may lose the last moments. */
        NORMAL
    }

    public JdbcStoreOptions {
        within("timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(1));
        within("poll", poll, Duration.ofMillis(10), Duration.ofHours(1));
        if (cleanup != null) {
            within("cleanup", cleanup, Duration.ofMillis(10), Duration.ofDays(1));
        }
        if (maxInFlight < 1 || maxInFlight > 64) {
            throw new IllegalArgumentException("maxInFlight is " + maxInFlight + "; it must be 1 to 64");
        }
    }

    /** A timeout of one second, one batch in flight, tables created by Weir and cleaned up every five seconds. */
    public static JdbcStoreOptions defaults() {
        return DEFAULTS;
    }

    public JdbcStoreOptions withTimeout(Duration value) {
        return new JdbcStoreOptions(value, durability, maxInFlight, cleanup, poll, migrate, spin);
    }

    public JdbcStoreOptions withDurability(Durability value) {
        return new JdbcStoreOptions(timeout, value, maxInFlight, cleanup, poll, migrate, spin);
    }

    public JdbcStoreOptions withMaxInFlight(int value) {
        return new JdbcStoreOptions(timeout, durability, value, cleanup, poll, migrate, spin);
    }

    public JdbcStoreOptions withCleanup(@Nullable Duration value) {
        return new JdbcStoreOptions(timeout, durability, maxInFlight, value, poll, migrate, spin);
    }

    public JdbcStoreOptions withPoll(Duration value) {
        return new JdbcStoreOptions(timeout, durability, maxInFlight, cleanup, value, migrate, spin);
    }

    public JdbcStoreOptions withMigrate(boolean value) {
        return new JdbcStoreOptions(timeout, durability, maxInFlight, cleanup, poll, value, spin);
    }

    public JdbcStoreOptions withSpin(boolean value) {
        return new JdbcStoreOptions(timeout, durability, maxInFlight, cleanup, poll, migrate, value);
    }

    private static void within(String name, Duration value, Duration shortest, Duration longest) {
        if (value.compareTo(shortest) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException(name + " is " + DurationText.of(value) + "; it must be "
                    + DurationText.of(shortest) + " to " + DurationText.of(longest));
        }
    }
}
