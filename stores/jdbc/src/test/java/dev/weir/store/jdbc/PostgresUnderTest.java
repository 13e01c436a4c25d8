package dev.weir.store.jdbc;

import dev.weir.Store;
import dev.weir.store.jdbc.postgres.PostgresConnections;
import dev.weir.testkit.history.StoreOnFakeClock;

/** A PostgreSQL store in its own schema and on a fake clock. */
final class PostgresUnderTest extends StoreOnFakeClock {
    private final PostgresServer.Place place = PostgresServer.place();
    private final JdbcStore store = JdbcBackend.postgresql(
                    PostgresConnections.sharing(place.connections()),
                    DatabaseKind.LONG_TIMEOUT.withCleanup(null),
                    SqliteUnderTest.given(clock))
            .store();

    @Override
    public Store store() {
        return store;
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public void close() {
        store.close();
        place.free();
    }
}
