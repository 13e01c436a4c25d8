package dev.weir.store.durableobjects;

import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;

/** Opens {@code durable-objects+https://} and {@code durable-objects+http://}. */
public final class DurableObjectsStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("durable-objects");
    }

    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        DurableObjectsStoreOptions options = DurableObjectsStoreOptions.parse(uri);
        DurableObjectsStore store = DurableObjectsStore.open(options);
        try {
            return new Backend(store, DurableObjectsSettings.open(store, environment.settingsFormat()));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
