package dev.weir.server;

import dev.weir.engine.Backend;
import dev.weir.engine.StoreProvider;
import dev.weir.engine.settings.FileSettings;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Opens the store that a server was told to use. */
final class Backends {
    private Backends() {}

    static Backend open(String uri, @Nullable Path data) {
        if (uri.equals("memory")) {
            return new Backend(MemoryStore.create(), data == null ? new InMemorySettings() : FileSettings.open(data));
        }
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.knows(uri)) {
                return provider.open(uri, data);
            }
        }
        // Of the URI only the scheme: the rest may hold a password.
        throw new IllegalArgumentException("this build has no store for '" + Shown.text(uri.replaceFirst(":.*", ":"))
                + "...'; use --store memory");
    }
}
