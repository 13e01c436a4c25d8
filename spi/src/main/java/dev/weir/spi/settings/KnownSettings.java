package dev.weir.spi.settings;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The in-memory part of every implementation of settings: the current snapshot, the latest changes, the listeners. A
 * subclass makes changes durable; without one they last as long as the process.
 */
public class KnownSettings implements Settings {
    /** The number of changes that are kept in memory. */
    public static final int MAX_AUDIT = 1_000;

    private static final Logger LOG = System.getLogger(Settings.class.getName());

    /** Each listener has its own wrapper, so that a listener registered twice is removed once. */
    private final List<AtomicReference<Consumer<SettingsSnapshot>>> listeners = new CopyOnWriteArrayList<>();
    /** Newest first; guarded by itself. */
    private final Deque<AuditEntry> audit = new ArrayDeque<>();
    /** Held while a change is made and published, so that listeners see versions in order. */
    private final ReentrantLock changing = new ReentrantLock();

    private volatile SettingsSnapshot current;

    protected KnownSettings(SettingsSnapshot current) {
        this.current = current;
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
        return alone(() -> make(change));
    }

    /** Makes a change durable, records it and publishes it. No other change is made meanwhile. */
    protected SettingsSnapshot make(SettingsChange change) {
        SettingsSnapshot next = current().with(change);
        remember(new AuditEntry(next.version(), change));
        publish(next);
        return next;
    }

    /** Runs a task while no change is made. */
    protected final <T> T alone(Supplier<T> work) {
        changing.lock();
        try {
            return work.get();
        } finally {
            changing.unlock();
        }
    }

    /** Records a change that is durable. */
    protected final void remember(AuditEntry entry) {
        synchronized (audit) {
            audit.addFirst(entry);
            if (audit.size() > MAX_AUDIT) {
                audit.removeLast();
            }
        }
    }

    /** Makes a durable snapshot the current one and calls the listeners. Calls must not overlap. */
    protected final void publish(SettingsSnapshot snapshot) {
        current = snapshot;
        for (AtomicReference<Consumer<SettingsSnapshot>> listener : listeners) {
            try {
                listener.get().accept(snapshot);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener failed on settings version " + snapshot.version(), e);
            }
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
    public final Registration onChange(Consumer<SettingsSnapshot> listener) {
        AtomicReference<Consumer<SettingsSnapshot>> own = new AtomicReference<>(listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    @Override
    public void close() {
        listeners.clear();
    }
}
