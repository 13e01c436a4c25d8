package dev.weir.engine;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.util.HashMap;
import java.util.Map;

/** A preset on the memory store, with a clock that the test turns. */
final class PresetEngine {
    final FakeClock clock = new FakeClock();
    final InMemorySettings settings = new InMemorySettings();
    final Weir weir;

    PresetEngine(String preset, Map<String, String> environment) {
        Configuration configuration =
                new ConfigurationReader(environment::get).preset(preset).orThrow();
        weir = Weir.of(
                configuration, MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)), settings);
    }

    static PresetEngine of(String preset) {
        return new PresetEngine(preset, Map.of());
    }

    /** Attributes from names and values by turns. */
    static Map<String, String> attributes(String... namesAndValues) {
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            attributes.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return attributes;
    }

    Outcome check(String... namesAndValues) {
        return weir.check(attributes(namesAndValues));
    }

    /** How many of so many equal requests are allowed. */
    int allowed(int requests, String... namesAndValues) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += check(namesAndValues).allowed() ? 1 : 0;
        }
        return allowed;
    }
}
