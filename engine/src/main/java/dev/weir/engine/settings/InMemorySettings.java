package dev.weir.engine.settings;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Settings that live as long as the process: for tests, and for stores that keep nothing. */
public final class InMemorySettings implements Settings {
    private final KnownSettings ledger = new KnownSettings(SettingsSnapshot.empty());
    /** Held while a change is made and told, so that listeners see versions in order. */
    private final ReentrantLock changing = new ReentrantLock();

    @Override
    public SettingsSnapshot current() {
        return ledger.current();
    }

    @Override
    public SettingsSnapshot apply(SettingsChange change) {
        if (changing.isHeldByCurrentThread()) {
            throw new IllegalStateException("a listener of settings must not change settings");
        }
        changing.lock();
        try {
            SettingsSnapshot next = ledger.current().with(change);
            ledger.remember(new AuditEntry(next.version(), change));
            ledger.publish(next);
            return next;
        } finally {
            changing.unlock();
        }
    }

    @Override
    public List<AuditEntry> audit(int count) {
        return ledger.audit(count);
    }

    @Override
    public Registration onChange(Consumer<SettingsSnapshot> listener) {
        return ledger.onChange(listener);
    }

    @Override
    public void close() {
        ledger.close();
    }
}
