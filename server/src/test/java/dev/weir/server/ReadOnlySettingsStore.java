package dev.weir.server;

import dev.weir.memory.MemoryStore;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.List;
import java.util.function.Consumer;

/** The memory store with settings that cannot be written, as on a full disk. */
final class ReadOnlySettingsStore {
    static final String URI = "forgetful:";

    private ReadOnlySettingsStore() {}

    /** The provider that the engine finds. */
    public static final class Provider implements StoreProvider {
        @Override
        public boolean knows(String uri) {
            return uri.equals(URI);
        }

        @Override
        public Backend open(String uri, StoreEnvironment environment) {
            return new Backend(MemoryStore.create(), new FullDisk());
        }
    }

    private static final class FullDisk implements Settings {
        @Override
        public SettingsSnapshot current() {
            return SettingsSnapshot.empty();
        }

        @Override
        public SettingsSnapshot apply(SettingsChange change) {
            throw new SettingsException("no space left on device");
        }

        @Override
        public List<AuditEntry> audit(int count) {
            return List.of();
        }

        @Override
        public Registration onChange(Consumer<SettingsSnapshot> listener) {
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
