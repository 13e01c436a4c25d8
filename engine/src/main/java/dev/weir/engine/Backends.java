package dev.weir.engine;

import dev.weir.StoreException;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.settings.FileSettings;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Opens the store that a configuration names. */
final class Backends {
    private static final String MEMORY = "memory";

    /** What to put on the class path for a URI that begins like this. */
    private static final Map<String, String> MODULES = Map.of(
            "redis", "weir-store-redis",
            "jdbc:", "weir-store-jdbc",
            "cluster:", "weir-store-cluster",
            "durable-objects", "weir-store-durable-objects");

    private Backends() {}

    /**
     * Opens it.
     *
     * @throws StoreException which names the store, if it cannot be reached
     */
    static Backend open(Configuration configuration, @Nullable Path data) {
        try {
            return open(configuration.store(), data);
        } catch (StoreException e) {
            throw new StoreException(
                    "the store " + configuration.shownStore() + " cannot be opened: " + e.getMessage()
                            + (e.retryable() ? "; see that it runs and can be reached from here" : ""),
                    e.retryable(),
                    e);
        }
    }

    private static Backend open(String uri, @Nullable Path data) {
        if (uri.equals(MEMORY)) {
            return new Backend(MemoryStore.create(), data == null ? new InMemorySettings() : FileSettings.open(data));
        }
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.knows(uri)) {
                return provider.open(uri, data);
            }
        }
        throw new IllegalArgumentException("no module on the class path opens the store '" + scheme(uri) + "…'; add "
                + MODULES.entrySet().stream()
                        .filter(module -> uri.startsWith(module.getKey()))
                        .map(module -> "dev.weir:" + module.getValue())
                        .findFirst()
                        .orElse("one that does")
                + ", or use the store 'memory'");
    }

    /** The part of the URI that holds no secret. */
    private static String scheme(String uri) {
        int end = uri.indexOf(':');
        return end < 0 ? "" : Texts.shown(uri.substring(0, end + 1), 32);
    }
}
