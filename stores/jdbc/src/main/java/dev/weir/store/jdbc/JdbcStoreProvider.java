package dev.weir.store.jdbc;

import dev.weir.engine.Backend;
import dev.weir.engine.StoreProvider;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens {@code jdbc:sqlite:} and {@code jdbc:postgresql:} stores, with their settings in the same database. */
public final class JdbcStoreProvider implements StoreProvider {

    @Override
    public boolean knows(String uri) {
        return uri.startsWith("jdbc:");
    }

    @Override
    public Backend open(String uri, @Nullable Path data) {
        JdbcBackend backend = JdbcBackend.open(uri);
        try {
            return new Backend(
                    backend.store(),
                    backend.settings(),
                    JdbcUri.parse(uri).options().timeout());
        } catch (RuntimeException e) {
            backend.store().close();
            throw e;
        }
    }
}
