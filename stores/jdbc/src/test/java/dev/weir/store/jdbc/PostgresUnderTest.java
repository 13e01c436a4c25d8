package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.util.List;

/** A PostgreSQL store in a schema of its own and on a fake clock. */
final class PostgresUnderTest implements StoreUnderTest {
    private static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

    private final FakeClock clock = new FakeClock();
    private final PostgresServer.Place place = PostgresServer.place();
    private final JdbcStore store = JdbcBackend.postgresql(
                    PostgresConnections.sharing(place.connections()),
                    JdbcStoreOptions.defaults().withCleanup(null),
                    SqliteUnderTest.given(clock))
            .store();

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.sinceEpoch(Resolution.MICROS, FakeClock.START);
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public void stepBack(Duration by) {
        // What it has not seen cannot step back for it.
        store.peek(PROBE).await(Duration.ofSeconds(5));
        clock.stepBack(by);
        store.peek(PROBE).await(Duration.ofSeconds(5));
    }

    @Override
    public void stepWall(Duration by) {
        clock.stepWall(by);
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
