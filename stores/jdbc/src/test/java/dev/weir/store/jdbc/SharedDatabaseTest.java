package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several nodes on one database: together they admit what a policy allows, and a refusal writes nothing. */
@Tag("io")
class SharedDatabaseTest {
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(90);
    private static final int NODES = 4;

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void consume_byFiftyThroughSeveralNodes_admitsExactlyTheLimitFromTheFirstUseOn(DatabaseKind kind) throws Exception {
        List<Policy> policies = List.of(
                TokenBucket.of(20, 1, Duration.ofDays(3_650)),
                FixedWindow.of(20, Duration.ofDays(1)),
                SlidingWindow.of(20, Duration.ofDays(1)));
        withNodes(kind, stores -> {
            for (Policy policy : policies) {
                for (int round = 0; round < 3; round++) {
                    List<Charge> charges = List.of(Charge.of(Key.of("k", policy.toString(), "" + round), policy));
                    assertThat(ConcurrentCallers.count(
                                    50,
                                    i -> () -> stores.get(i % NODES)
                                            .consume(charges)
                                            .await(AWAIT_TIMEOUT)
                                            .admitted()))
                            .as("%s", policy)
                            .isEqualTo(20);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void consume_ofCrossingKeysThroughSeveralNodes_isAllOrNothing(DatabaseKind kind) throws Exception {
        Policy wide = FixedWindow.of(40, Duration.ofDays(1));
        Policy narrow = SlidingWindow.of(25, Duration.ofDays(1));
        Charge a = Charge.of(Key.of("a"), wide);
        Charge b = Charge.of(Key.of("b"), narrow);
        withNodes(kind, stores -> {
            long admitted = ConcurrentCallers.count(
                    50,
                    i -> () -> stores.get(i % NODES)
                            .consume(i % 2 == 0 ? List.of(a, b) : List.of(b, a))
                            .await(AWAIT_TIMEOUT)
                            .admitted());
            assertThat(admitted).isEqualTo(25);
            assertThat(stores.get(0)
                            .peek(List.of(a))
                            .await(AWAIT_TIMEOUT)
                            .reading(0)
                            .remaining())
                    .isEqualTo(15);
        });
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void acquireAndReserve_throughSeveralNodes_holdWhatThereIsAndNoMore(DatabaseKind kind) throws Exception {
        withNodes(kind, stores -> {
            List<Charge> slot = List.of(Charge.of(Key.of("slots"), Concurrency.of(10)));
            assertThat(ConcurrentCallers.count(
                            30,
                            i -> () -> stores.get(i % NODES)
                                    .acquire("lease " + i, slot, Duration.ofMinutes(1))
                                    .await(AWAIT_TIMEOUT)
                                    .admitted()))
                    .isEqualTo(10);
            List<Charge> tokens = List.of(new Charge(Key.of("tokens"), FixedWindow.of(100, Duration.ofDays(1)), 9));
            assertThat(ConcurrentCallers.count(
                            30,
                            i -> () -> stores.get(i % NODES)
                                    .reserve("call " + i, tokens, Duration.ofMinutes(1))
                                    .await(AWAIT_TIMEOUT)
                                    .admitted()))
                    .isEqualTo(11);
        });
    }

    /** Not even a lock is left on the row, let alone another version of it. */
    @Test
    void consume_refusedInPostgresql_writesNothing() throws Exception {
        PostgresServer.Place place = PostgresServer.place();
        JdbcStore store = JdbcStore.open(place.uri() + "&timeout=10s");
        List<Charge> one = List.of(Charge.of(Key.of("k"), FixedWindow.of(1, Duration.ofDays(1))));
        assertThat(store.consume(one).await(AWAIT_TIMEOUT).admitted()).isTrue();
        String before = marks(place);
        for (int i = 0; i < 5; i++) {
            assertThat(store.consume(one).await(AWAIT_TIMEOUT).admitted()).isFalse();
        }
        assertThat(marks(place)).isEqualTo(before).endsWith(" 0");
        store.close();
        place.free();
    }

    private static String marks(PostgresServer.Place place) throws Exception {
        try (Connection connection = DriverManager.getConnection(place.uri());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT xmin || ' ' || ctid || ' ' || xmax FROM weir_budget")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void consume_refusedInSqlite_writesNothing() throws Exception {
        Path file = SqliteUnderTest.newFile();
        JdbcStore store = JdbcStore.open("jdbc:sqlite:" + file + "?cleanup=never&timeout=60s");
        List<Charge> one = List.of(Charge.of(Key.of("k"), FixedWindow.of(1, Duration.ofDays(1))));
        assertThat(store.consume(one).await(AWAIT_TIMEOUT).admitted()).isTrue();
        long before = Files.size(Path.of(file + "-wal"));
        for (int i = 0; i < 5; i++) {
            assertThat(store.consume(one).await(AWAIT_TIMEOUT).admitted()).isFalse();
        }
        assertThat(Files.size(Path.of(file + "-wal"))).isEqualTo(before);
        store.close();
        SqliteUnderTest.delete(file);
    }

    private interface OnNodes {
        void with(List<Store> stores) throws Exception;
    }

    private static void withNodes(DatabaseKind kind, OnNodes test) throws Exception {
        try (DatabaseKind.Site site = kind.newSite()) {
            List<Store> stores = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                stores.add(site.node().store());
            }
            try {
                test.with(stores);
            } finally {
                stores.forEach(Store::close);
            }
        }
    }
}
