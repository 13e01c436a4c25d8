package dev.weir.store.jdbc;

import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;

/** Opens {@code jdbc:sqlite:} and {@code jdbc:postgresql:} stores, with their settings in the same database. */
public final class JdbcStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("jdbc:");
    }

    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        JdbcBackend backend = JdbcBackend.open(uri);
        try {
            return new Backend(backend.store(), backend.settings(environment.settingsFormat()));
        } catch (RuntimeException e) {
            backend.store().close();
            throw e;
        }
    }
}
