package dev.weir.spi.settings;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** What every kind of settings has in memory: the present snapshot, the latest changes, the listeners. */
public final class KnownSettings {
    /** How many changes are kept at hand. */
    public static final int MAX_AUDIT = 1_000;

    private static final Logger LOG = System.getLogger(Settings.class.getName());

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Newest first; guarded by itself. */
    private final Deque<AuditEntry> audit = new ArrayDeque<>();

    private volatile SettingsSnapshot current;

    public KnownSettings(SettingsSnapshot current) {
        this.current = current;
    }

    public SettingsSnapshot current() {
        return current;
    }

    /** Remembers a change that is durable. */
    public void remember(AuditEntry entry) {
        synchronized (audit) {
            audit.addFirst(entry);
            if (audit.size() > MAX_AUDIT) {
                audit.removeLast();
            }
        }
    }

    /** Makes a durable snapshot the present one and tells everybody. Calls must not overlap. */
    public void publish(SettingsSnapshot snapshot) {
        current = snapshot;
        for (Listener listener : listeners) {
            try {
                listener.target.accept(snapshot);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener failed on settings version " + snapshot.version(), e);
            }
        }
    }

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

    public Settings.Registration onChange(Consumer<SettingsSnapshot> listener) {
        Listener own = new Listener(listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    public void close() {
        listeners.clear();
    }

    /** Has an identity of its own, so that the same listener registered twice is removed once. */
    private static final class Listener {
        private final Consumer<SettingsSnapshot> target;

        private Listener(Consumer<SettingsSnapshot> target) {
            this.target = target;
        }
    }
}
