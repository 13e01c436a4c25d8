package dev.weir.store.cluster;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The settings in the replicated state and their latest changes. Any thread may read them; one thread changes them. */
final class SettingsState {
    static final int MOST_AUDIT = 1_000;

    final SettingsFormat format;
    private final Deque<AuditEntry> audit = new ArrayDeque<>();
    private volatile SettingsSnapshot current = SettingsSnapshot.empty();

    SettingsState(SettingsFormat format) {
        this.format = format;
    }

    /**
     * Applies a change and returns the new version.
     *
     * @param change an encoded audit entry, whose version is ignored
     * @throws IllegalArgumentException if it cannot be read, or the settings would become too large
     */
    long change(byte[] change) {
        AuditEntry asked;
        try {
            asked = format.readEntry(change);
        } catch (SettingsException e) {
            throw new IllegalArgumentException("no change of settings: " + e.getMessage(), e);
        }
        SettingsSnapshot next = current.with(asked.change());
        synchronized (audit) {
            audit.addFirst(new AuditEntry(next.version(), asked.change()));
            if (audit.size() > MOST_AUDIT) {
                audit.removeLast();
            }
        }
        current = next;
        return next.version();
    }

    SettingsSnapshot current() {
        return current;
    }

    /** The latest changes, newest first. */
    List<AuditEntry> audit() {
        synchronized (audit) {
            return new ArrayList<>(audit);
        }
    }

    void restore(SettingsSnapshot snapshot, List<AuditEntry> newestFirst) {
        synchronized (audit) {
            audit.clear();
            audit.addAll(newestFirst);
        }
        current = snapshot;
    }
}
