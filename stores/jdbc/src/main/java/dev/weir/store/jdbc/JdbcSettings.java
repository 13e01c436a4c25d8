package dev.weir.store.jdbc;

import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.store.jdbc.rows.Database;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.SettingsWatch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An engine's settings in the same database as the budgets: one document, and an audit log of its changes.
 *
 * <p>A change is on disk before it is acknowledged, whatever the durability of the budgets. A {@link SettingsWatch}
 * notifies the other nodes. While the database is unreachable, the last settings that were read stay in force.
 */
final class JdbcSettings extends KnownSettings {
    private static final long LOCK = RowKey.of(Key.of("weir", "settings")).lock();
    private static final int KEPT = 10_000;

    private final Database database;
    private final SettingsWatch watch;
    private final SettingsFormat format;

    JdbcSettings(Database database, SettingsWatch watch, SettingsFormat format) {
        super(SettingsSnapshot.empty());
        this.database = database;
        this.watch = watch;
        this.format = format;
        refresh();
        watch.start(this::refresh);
    }

    @Override
    protected SettingsSnapshot make(SettingsChange change) {
        try {
            boolean unused = database.transaction(LOCK, true, (connection, now) -> {
                SettingsSnapshot stored = read(connection);
                SettingsSnapshot next = (stored == null ? SettingsSnapshot.empty() : stored).with(change);
                write(connection, next, new AuditEntry(next.version(), change));
                watch.notifyOthers(connection);
                return true;
            });
        } catch (StoreException e) {
            throw new SettingsException(
                    "the settings could not be written (" + e.getMessage() + "); they are as before", e);
        }
        try {
            return refresh();
        } catch (StoreException e) {
            throw new SettingsException(
                    "the settings were written but could not be read back (" + e.getMessage()
                            + "); they are in force soon, do not repeat the change",
                    e);
        }
    }

    /** Loads the settings of the database, and calls the listeners. */
    private SettingsSnapshot refresh() {
        return alone(() -> {
            long version = current().version();
            SettingsSnapshot stored =
                    database.read((connection, now) -> storedVersion(connection) > version ? read(connection) : null);
            if (stored != null && stored.version() > version) {
                List<AuditEntry> entries = database.read((connection, now) -> entriesAfter(connection, lastAudited()));
                entries.forEach(this::remember);
                publish(stored);
            }
            return current();
        });
    }

    private long lastAudited() {
        List<AuditEntry> last = audit(1);
        return last.isEmpty() ? 0 : last.get(0).version();
    }

    @Override
    public void close() {
        watch.close();
        super.close();
    }

    // The tables.

    private static long storedVersion(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT version FROM weir_settings");
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private @Nullable SettingsSnapshot read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT document FROM weir_settings");
                ResultSet row = statement.executeQuery()) {
            return row.next() ? decoded(row.getBytes(1)) : null;
        }
    }

    private SettingsSnapshot decoded(byte[] document) {
        try {
            return format.readSnapshot(document);
        } catch (SettingsException e) {
            throw new SettingsException("the row of weir_settings " + e.getMessage(), e);
        }
    }

    private List<AuditEntry> entriesAfter(Connection connection, long version) throws SQLException {
        List<AuditEntry> entries = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT entry FROM (SELECT version, entry FROM weir_audit WHERE version > ? ORDER BY version DESC LIMIT "
                        + KnownSettings.MAX_AUDIT + ") latest ORDER BY version")) {
            statement.setLong(1, version);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    entries.add(format.readEntry(rows.getBytes(1)));
                }
            }
        }
        return entries;
    }

    private void write(Connection connection, SettingsSnapshot next, AuditEntry entry) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement(
                "INSERT INTO weir_settings (one, version, document) VALUES (1, ?, ?) ON CONFLICT (one)"
                        + " DO UPDATE SET version = excluded.version, document = excluded.document")) {
            put.setLong(1, next.version());
            put.setBytes(2, format.write(next));
            put.executeUpdate();
        }
        try (PreparedStatement log =
                connection.prepareStatement("INSERT INTO weir_audit (version, entry) VALUES (?, ?)")) {
            log.setLong(1, entry.version());
            log.setBytes(2, format.write(entry));
            log.executeUpdate();
        }
        try (PreparedStatement trim = connection.prepareStatement("DELETE FROM weir_audit WHERE version <= ?")) {
            trim.setLong(1, entry.version() - KEPT);
            trim.executeUpdate();
        }
    }
}
