package dev.weir.store.jdbc;

import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.engine.settings.AuditCodec;
import dev.weir.engine.settings.AuditEntry;
import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsCodec;
import dev.weir.engine.settings.SettingsException;
import dev.weir.engine.settings.SettingsSnapshot;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings in the database, beside the counts: one document, and who changed what.
 *
 * <p>A change is on disk before it is acknowledged, whatever durability the counts have. Other nodes are told by a
 * {@link SettingsWatch}. While the database is gone the settings stay as they were last seen.
 */
final class JdbcSettings implements Settings {
    private static final Logger LOG = System.getLogger(Settings.class.getName());
    private static final long LOCK = RowKey.of(Key.of("weir", "settings")).lock();
    private static final int AT_HAND = 1_000;
    private static final int KEPT = 10_000;

    private final Database database;
    private final SettingsWatch watch;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Held while a change is made, looked for or told, so that listeners see versions in order. */
    private final ReentrantLock changing = new ReentrantLock();
    /** Newest first; guarded by itself. */
    private final Deque<AuditEntry> audit = new ArrayDeque<>();

    private volatile SettingsSnapshot current = SettingsSnapshot.empty();

    /** Has an identity of its own, so that the same listener registered twice is removed once. */
    private static final class Listener {
        private final Consumer<SettingsSnapshot> target;

        private Listener(Consumer<SettingsSnapshot> target) {
            this.target = target;
        }
    }

    JdbcSettings(Database database, SettingsWatch watch) {
        this.database = database;
        this.watch = watch;
        refresh();
        watch.start(this::refresh);
    }

    @Override
    public SettingsSnapshot current() {
        return current;
    }

    @Override
    public SettingsSnapshot apply(SettingsChange change) {
        if (changing.isHeldByCurrentThread()) {
            throw new IllegalStateException("a listener of settings must not change settings");
        }
        changing.lock();
        try {
            boolean unused = database.transaction(LOCK, true, (connection, now) -> {
                SettingsSnapshot stored = read(connection);
                SettingsSnapshot next = (stored == null ? SettingsSnapshot.empty() : stored).with(change);
                write(connection, next, new AuditEntry(next.version(), change));
                watch.tell(connection);
                return true;
            });
            refresh();
            return current;
        } catch (StoreException e) {
            throw new SettingsException(
                    "the settings could not be written (" + e.getMessage() + "); they are as before", e);
        } finally {
            changing.unlock();
        }
    }

    /** Takes over what the database has, and tells everybody. */
    private void refresh() {
        changing.lock();
        try {
            SettingsSnapshot stored = database.read(
                    (connection, now) -> storedVersion(connection) > current.version() ? read(connection) : null);
            if (stored != null && stored.version() > current.version()) {
                List<AuditEntry> entries = database.read((connection, now) -> entriesAfter(connection, lastAudited()));
                synchronized (audit) {
                    entries.forEach(audit::addFirst);
                    while (audit.size() > AT_HAND) {
                        audit.removeLast();
                    }
                }
                publish(stored);
            }
        } finally {
            changing.unlock();
        }
    }

    private void publish(SettingsSnapshot snapshot) {
        current = snapshot;
        for (Listener listener : listeners) {
            try {
                listener.target.accept(snapshot);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener failed on settings version " + snapshot.version(), e);
            }
        }
    }

    private long lastAudited() {
        synchronized (audit) {
            return audit.isEmpty() ? 0 : audit.getFirst().version();
        }
    }

    @Override
    public List<AuditEntry> audit(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + "; it must be at least 0");
        }
        List<AuditEntry> latest = new ArrayList<>();
        synchronized (audit) {
            Iterator<AuditEntry> newest = audit.iterator();
            while (latest.size() < count && newest.hasNext()) {
                latest.add(newest.next());
            }
        }
        return List.copyOf(latest);
    }

    @Override
    public Registration onChange(Consumer<SettingsSnapshot> listener) {
        Listener own = new Listener(listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    @Override
    public void close() {
        watch.close();
        listeners.clear();
    }

    // The tables.

    private static long storedVersion(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT version FROM weir_settings");
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static @Nullable SettingsSnapshot read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT document FROM weir_settings");
                ResultSet row = statement.executeQuery()) {
            return row.next() ? decoded(row.getBytes(1)) : null;
        }
    }

    private static SettingsSnapshot decoded(byte[] document) {
        try {
            return SettingsCodec.decode(document);
        } catch (SettingsException e) {
            throw new SettingsException("the row of weir_settings " + e.getMessage(), e);
        }
    }

    private static List<AuditEntry> entriesAfter(Connection connection, long version) throws SQLException {
        List<AuditEntry> entries = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT entry FROM (SELECT version, entry FROM weir_audit WHERE version > ? ORDER BY version DESC LIMIT "
                        + AT_HAND + ") latest ORDER BY version")) {
            statement.setLong(1, version);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    entries.add(AuditCodec.decode(rows.getBytes(1)));
                }
            }
        }
        return entries;
    }

    private static void write(Connection connection, SettingsSnapshot next, AuditEntry entry) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement(
                "INSERT INTO weir_settings (one, version, document) VALUES (1, ?, ?) ON CONFLICT (one)"
                        + " DO UPDATE SET version = excluded.version, document = excluded.document")) {
            put.setLong(1, next.version());
            put.setBytes(2, SettingsCodec.encode(next));
            put.executeUpdate();
        }
        try (PreparedStatement log =
                connection.prepareStatement("INSERT INTO weir_audit (version, entry) VALUES (?, ?)")) {
            log.setLong(1, entry.version());
            log.setBytes(2, AuditCodec.encode(entry));
            log.executeUpdate();
        }
        try (PreparedStatement trim = connection.prepareStatement("DELETE FROM weir_audit WHERE version <= ?")) {
            trim.setLong(1, entry.version() - KEPT);
            trim.executeUpdate();
        }
    }
}
