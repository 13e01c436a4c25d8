package dev.weir.store.redis;

import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;

/** Opens stores with {@code redis://}, {@code rediss://}, {@code redis-cluster://} and {@code redis-sentinel://}. */
public final class RedisStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("redis:")
                || uri.startsWith("rediss:")
                || uri.startsWith("redis-cluster:")
                || uri.startsWith("redis-sentinel:");
    }

    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        RedisStore store = RedisStore.open(RedisStoreOptions.parse(uri));
        try {
            return new Backend(store, RedisSettings.open(store, environment.settingsFormat()));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
