package dev.weir.engine.settings;

import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.SettingsSnapshot;

/** Settings that last as long as the process: for tests, and for stores that persist nothing. */
public final class InMemorySettings extends KnownSettings {
    public InMemorySettings() {
        super(SettingsSnapshot.empty());
    }
}
