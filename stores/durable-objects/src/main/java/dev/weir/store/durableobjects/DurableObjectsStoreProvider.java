package dev.weir.store.durableobjects;

import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;

/** Opens stores with {@code durable-objects+https://} and {@code durable-objects+http://}. */
public final class DurableObjectsStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("durable-objects");
    }

    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        DurableObjectsStore store = DurableObjectsStore.open(DurableObjectsStoreOptions.parse(uri));
        try {
            return new Backend(store, SettingsObject.open(store, environment.settingsFormat()));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
