package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.store.jdbc.postgres.PostgresConnections;
import dev.weir.testkit.FakeClock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows without information are removed, a few at a time, and no caller waits for that. */
@Tag("io")
class CleanupTest {
    private static final Duration AWAIT_TIMEOUT = Duration.ofMinutes(1);
    private static final Charge LIVE = Charge.of(Key.of("live"), FixedWindow.of(1_000_000, Duration.ofDays(1)));

    private static final JdbcStoreOptions OPTIONS =
            JdbcStoreOptions.defaults().withTimeout(AWAIT_TIMEOUT).withCleanup(null);

    private final FakeClock clock = new FakeClock();

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void sweep_ofManyExpiredRowsUnderLoad_removesThemAllAndNoOther(DatabaseKind kind) throws Exception {
        try (DatabaseKind.Site site = kind.newSite()) {
            JdbcStore store = site.node(OPTIONS, SqliteUnderTest.given(clock)).store();
            for (int i = 0; i < 1_700; i++) {
                Charge soon = Charge.of(Key.of("gone", "" + i), FixedWindow.of(5, Duration.ofSeconds(1)));
                store.consume(List.of(soon)).await(AWAIT_TIMEOUT);
            }
            clock.advance(Duration.ofSeconds(2));
            CompletableFuture<Void> sweep = CompletableFuture.runAsync(store::sweep);
            long spent = 0;
            do {
                assertThat(store.consume(List.of(LIVE)).await(AWAIT_TIMEOUT).admitted())
                        .isTrue();
                spent++;
            } while (!sweep.isDone());
            sweep.get(90, TimeUnit.SECONDS);
            assertThat(store.peek(List.of(LIVE)).await(AWAIT_TIMEOUT).reading(0).remaining())
                    .isEqualTo(1_000_000 - spent);
            store.close();
            assertThat(rows(site)).isEqualTo(1);
        }
    }

    /** Even while somebody holds a row that is to go, the others go, and whoever decides about others does not wait. */
    @Test
    void sweep_whileSomebodyHoldsAnExpiredRow_passesItOver() throws Exception {
        PostgresServer.Place place = PostgresServer.place();
        JdbcStore store = JdbcBackend.postgresql(
                        PostgresConnections.sharing(place.connections()), OPTIONS, SqliteUnderTest.given(clock))
                .store();
        for (int i = 0; i < 3; i++) {
            Charge soon = Charge.of(Key.of("gone", "" + i), FixedWindow.of(5, Duration.ofSeconds(1)));
            store.consume(List.of(soon)).await(AWAIT_TIMEOUT);
        }
        clock.advance(Duration.ofSeconds(2));
        try (Connection holder = DriverManager.getConnection(place.uri());
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("SELECT * FROM weir_budget ORDER BY key LIMIT 1 FOR UPDATE");
            CompletableFuture.runAsync(store::sweep).get(90, TimeUnit.SECONDS);
            assertThat(store.consume(List.of(LIVE)).await(AWAIT_TIMEOUT).admitted())
                    .isTrue();
            try (ResultSet left = statement.executeQuery("SELECT count(*) FROM weir_budget")) {
                left.next();
                assertThat(left.getInt(1))
                        .as("the one that is held, and the live one")
                        .isEqualTo(2);
            }
            holder.rollback();
        }
        store.close();
        place.free();
    }

    /** Whoever found it and then finds it gone begins anew. */
    @Test
    void consume_ofARowThatIsRemovedMeanwhile_isAsIfItHadNotBeenThere() throws Exception {
        PostgresServer.Place place = PostgresServer.place();
        JdbcStore store = JdbcBackend.postgresql(
                        PostgresConnections.sharing(place.connections()), OPTIONS, SqliteUnderTest.given(clock))
                .store();
        store.consume(List.of(LIVE)).await(AWAIT_TIMEOUT);
        store.consume(List.of(LIVE)).await(AWAIT_TIMEOUT);
        try (Connection cleaner = DriverManager.getConnection(place.uri());
                Statement statement = cleaner.createStatement()) {
            cleaner.setAutoCommit(false);
            statement.execute("DELETE FROM weir_budget");
            CompletableFuture<Decision> charged = CompletableFuture.supplyAsync(
                    () -> store.consume(List.of(LIVE)).await(AWAIT_TIMEOUT));
            await().atMost(AWAIT_TIMEOUT).until(() -> isAwaited(statement));
            cleaner.commit();
            assertThat(charged.get(90, TimeUnit.SECONDS).reading(0).remaining()).isEqualTo(999_999);
        }
        assertThat(store.peek(List.of(LIVE)).await(AWAIT_TIMEOUT).reading(0).remaining())
                .isEqualTo(999_999);
        store.close();
        place.free();
    }

    /** Whether somebody waits for what this connection holds. */
    private static boolean isAwaited(Statement statement) throws Exception {
        try (ResultSet waiting = statement.executeQuery(
                "SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")) {
            return waiting.next();
        }
    }

    private static int rows(DatabaseKind.Site site) throws Exception {
        JdbcBackend fresh = site.node(OPTIONS, null);
        int rows = fresh.database().read((connection, now) -> {
            try (Statement statement = connection.createStatement();
                    ResultSet count = statement.executeQuery("SELECT count(*) FROM weir_budget")) {
                count.next();
                return count.getInt(1);
            }
        });
        fresh.store().close();
        return rows;
    }
}
