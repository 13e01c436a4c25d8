package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.StoreException;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Weir on the connections of the application that it is part of, in any state of these connections. */
@Tag("io")
class ApplicationDataSourceTest {
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(90);

    @ParameterizedTest
    @CsvSource({"true, DEFAULT", "true, NORMAL", "false, FULL", "false, DEFAULT"})
    void backend_onTheApplicationsDataSource_isExactAndLeavesItAsItWas(
            boolean autoCommit, JdbcStoreOptions.Durability durability) throws Exception {
        PostgresServer.Place place = PostgresServer.place();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(place.uri());
        config.setMaximumPoolSize(8);
        config.setAutoCommit(autoCommit);
        try (HikariDataSource application = new HikariDataSource(config)) {
            JdbcStoreOptions options = JdbcStoreOptions.defaults()
                    .withTimeout(Duration.ofSeconds(20))
                    .withDurability(durability)
                    .withMaxInFlight(2);
            JdbcBackend one = JdbcBackend.postgresql(application, options);
            JdbcBackend other = JdbcBackend.postgresql(application, options);
            List<Charge> charge = List.of(Charge.of(Key.of("k"), FixedWindow.of(20, Duration.ofDays(1))));
            assertThat(ConcurrentCallers.count(
                            50,
                            i -> () -> (i % 2 == 0 ? one : other)
                                    .store()
                                    .consume(charge)
                                    .await(AWAIT_TIMEOUT)
                                    .admitted()))
                    .isEqualTo(20);
            holdsWork(one.store());
            one.store().close();
            other.store().close();

            assertThat(application.isClosed()).isFalse();
            try (Connection connection = application.getConnection()) {
                assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
                assertThat(connection.isValid(1)).isTrue();
            }
        }
        place.free();
    }

    @Test
    void backend_onConnectionsThatDoNotSeeWhatOthersCommit_saysWhatItNeeds() {
        PostgresServer.Place place = PostgresServer.place();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(place.uri());
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        try (HikariDataSource application = new HikariDataSource(config)) {
            assertThatThrownBy(() -> JdbcBackend.postgresql(application, JdbcStoreOptions.defaults()))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("the connections' transaction isolation is repeatable read; it must be read committed,"
                            + " PostgreSQL's default");
        }
        place.free();
    }

    /** Of any number of limits, on keys that have rows and on keys that have none. */
    @Test
    void consume_inPostgresql_isOneStatement() {
        PostgresServer.Place place = PostgresServer.place();
        List<String> statements = new CopyOnWriteArrayList<>();
        PGSimpleDataSource application = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1L;

            @Override
            public Connection getConnection() throws SQLException {
                return observed(super.getConnection(), statements);
            }
        };
        application.setUrl(place.uri());
        JdbcStoreOptions options = DatabaseKind.LONG_TIMEOUT.withCleanup(null);
        try (JdbcStore store = JdbcBackend.postgresql(application, options).store()) {
            Charge one = Charge.of(Key.of("one"), FixedWindow.of(9, Duration.ofDays(1)));
            List<Charge> four = List.of(
                    one,
                    Charge.of(Key.of("two"), TokenBucket.of(9, 1, Duration.ofDays(1))),
                    Charge.of(Key.of("three"), SlidingWindow.of(9, Duration.ofDays(1))),
                    Charge.of(Key.of("four"), new Streak(Duration.ofDays(1))));
            for (List<Charge> charges : List.of(List.of(one), List.of(one), four, four)) {
                statements.clear();
                assertThat(store.consume(charges).await(AWAIT_TIMEOUT).admitted())
                        .isTrue();
                assertThat(statements).singleElement().asString().contains("weir_check");
            }
        }
        place.free();
    }

    /** The same connection, which tells the statements that it is asked for. */
    private static Connection observed(Connection connection, List<String> statements) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().endsWith("Statement")) {
                        statements.add(method.getName() + Arrays.toString(arguments));
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void holdsWork(JdbcStore store) {
        List<Charge> slot = List.of(Charge.of(Key.of("slot"), Concurrency.of(1)));
        assertThat(store.acquire("a", slot, AWAIT_TIMEOUT).await(AWAIT_TIMEOUT).admitted())
                .isTrue();
        assertThat(store.acquire("b", slot, AWAIT_TIMEOUT).await(AWAIT_TIMEOUT).admitted())
                .isFalse();
        assertThat(store.release("a").await(AWAIT_TIMEOUT)).isTrue();
        List<Charge> tokens = List.of(new Charge(Key.of("tokens"), FixedWindow.of(100, Duration.ofDays(1)), 60));
        assertThat(store.reserve("r", tokens, AWAIT_TIMEOUT)
                        .await(AWAIT_TIMEOUT)
                        .admitted())
                .isTrue();
        assertThat(store.settle("r", Map.of("tokens", 10L)).await(AWAIT_TIMEOUT))
                .isEqualTo(Settlement.DONE);
        assertThat(store.peek(tokens).await(AWAIT_TIMEOUT).reading(0).remaining())
                .isEqualTo(90);
    }
}
