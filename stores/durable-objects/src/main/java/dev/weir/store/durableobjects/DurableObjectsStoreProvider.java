package dev.weir.store.durableobjects;

import dev.weir.engine.Backend;
import dev.weir.engine.StoreProvider;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens {@code durable-objects+https://} and {@code durable-objects+http://}. */
public final class DurableObjectsStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("durable-objects");
    }

    @Override
    public Backend open(String uri, @Nullable Path data) {
        DurableObjectsStoreOptions options = DurableObjectsStoreOptions.parse(uri);
        DurableObjectsStore store = DurableObjectsStore.open(options);
        try {
            return new Backend(store, DurableObjectsSettings.open(store), options.timeout());
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
