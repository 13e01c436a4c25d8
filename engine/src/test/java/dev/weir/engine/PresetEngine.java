package dev.weir.engine;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.util.HashMap;
import java.util.Map;

/** An engine on the memory store, with a clock that the test moves. */
final class PresetEngine implements AutoCloseable {
    final FakeClock clock = new FakeClock();
    final InMemorySettings settings = new InMemorySettings();
    final MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
    final Weir weir;

    private PresetEngine(Configuration configuration) {
        weir = Weir.of(configuration, store, settings, WeirOptions.defaults().withClock(clock::wall));
    }

    /** An engine with a preset and an empty environment. */
    static PresetEngine of(String preset) {
        return of(preset, Map.of());
    }

    static PresetEngine of(String preset, Map<String, String> environment) {
        return new PresetEngine(
                new ConfigurationReader(environment::get).preset(preset).orThrow());
    }

    /** An engine with this configuration. */
    static PresetEngine yaml(String yaml) {
        return new PresetEngine(configuration(yaml));
    }

    static Configuration configuration(String yaml) {
        return new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow();
    }

    /** Attributes from alternating names and values. */
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

    /** The number of allowed requests among so many equal ones. */
    int allowed(int requests, String... namesAndValues) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += check(namesAndValues).allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Override
    public void close() {
        weir.close();
    }
}
