package dev.weir.engine;

import dev.weir.StoreException;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.guard.StoreLabel;
import dev.weir.engine.path.ClientText;
import dev.weir.engine.settings.FileSettings;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.Backend;
import dev.weir.spi.Nearest;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens the store that a configuration names. */
final class BackendFactory {
    private static final String MEMORY = "memory";

    /** The module that supports the URIs of a scheme, by scheme; for messages. */
    static final Map<String, String> MODULES = modules();

    private BackendFactory() {}

    /**
     * Opens the store.
     *
     * @throws StoreException if it cannot be reached; the message names the store
     */
    static Backend open(Configuration configuration, @Nullable Path data) {
        try {
            return open(configuration.store(), data);
        } catch (StoreException e) {
            StoreLabel label = StoreLabel.ofUri(configuration.shownStore(), false);
            throw new StoreException(label.notOpened(String.valueOf(e.getMessage()), e.retryable()), e.retryable(), e);
        }
    }

    private static Backend open(String uri, @Nullable Path data) {
        if (uri.equals(MEMORY)) {
            return new Backend(MemoryStore.create(), data == null ? new InMemorySettings() : FileSettings.open(data));
        }
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.knows(uri)) {
                return provider.open(uri, new StoreEnvironment(data, new JsonSettingsFormat()));
            }
        }
        throw new IllegalArgumentException(notOpened(uri));
    }

    private static Map<String, String> modules() {
        Map<String, String> modules = new LinkedHashMap<>();
        for (String scheme : List.of("redis://", "rediss://", "redis-cluster://", "redis-sentinel://")) {
            modules.put(scheme, "weir-store-redis");
        }
        modules.put("jdbc:sqlite:", "weir-store-jdbc");
        modules.put("jdbc:postgresql:", "weir-store-jdbc");
        modules.put("cluster://", "weir-store-cluster");
        modules.put("durable-objects+http://", "weir-store-durable-objects");
        modules.put("durable-objects+https://", "weir-store-durable-objects");
        return Collections.unmodifiableMap(modules);
    }

    private static String notOpened(String uri) {
        for (Map.Entry<String, String> module : MODULES.entrySet()) {
            if (uri.startsWith(module.getKey())) {
                return "no module on the class path opens the store '" + shownScheme(uri)
                        + "'; add the Maven artifact dev.weir:" + module.getValue()
                        + " to the class path, or use the store 'memory'";
            }
        }
        List<String> known =
                Stream.concat(Stream.of(MEMORY), MODULES.keySet().stream()).toList();
        String all = "hoose one of " + String.join(", ", known);
        return "the store '" + shownScheme(uri) + "' is of no known kind; "
                + nearest(scheme(uri), known)
                        .map(meant -> "did you mean '" + meant + "'? C" + all)
                        .orElse("c" + all);
    }

    private static Optional<String> nearest(String scheme, List<String> known) {
        List<String> schemes = known.stream().map(BackendFactory::scheme).toList();
        return Nearest.to(scheme, schemes).map(meant -> known.get(schemes.indexOf(meant)));
    }

    /** The part of the URI that contains no secret. */
    private static String shownScheme(String uri) {
        String scheme = scheme(uri);
        return ClientText.shown(scheme, 32) + (scheme.length() < uri.length() && scheme.length() <= 32 ? "…" : "");
    }

    /** The text up to the first colon, for JDBC up to the second; all of a text without a colon. */
    private static String scheme(String uri) {
        int end = uri.indexOf(':', uri.startsWith("jdbc:") ? "jdbc:".length() : 0);
        return end < 0 ? uri : uri.substring(0, end + 1);
    }
}
