package dev.weir.spring.test;

import dev.weir.engine.settings.InMemorySettings;
import dev.weir.spi.Backend;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.testkit.FakeClock;
import java.util.Map;
import java.util.Set;

/** The store and the settings of a test's application. */
final class TestBackend {
    private static final String WHO = "test";

    final FakeClock clock = new FakeClock();
    private final TestStore store = new TestStore(clock);
    private final Settings settings = new InMemorySettings();

    Backend backend() {
        return new Backend(store, settings);
    }

    /** Discards all budgets and settings. */
    void reset() {
        store.reset();
        SettingsSnapshot found = settings.current();
        if (!found.defaults().isEmpty()) {
            settings.apply(new SettingsChange.PutDefaults(WHO, clock.wall(), Map.of()));
        }
        found.overrides()
                .keySet()
                .forEach(subject -> settings.apply(new SettingsChange.RemoveOverride(WHO, clock.wall(), subject)));
        found.exempt()
                .keySet()
                .forEach(name -> settings.apply(new SettingsChange.ReplaceExempt(WHO, clock.wall(), name, Set.of())));
    }
}
