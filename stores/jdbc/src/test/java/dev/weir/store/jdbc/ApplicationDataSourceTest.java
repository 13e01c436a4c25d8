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
import dev.weir.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Weir on the connections of the application that it is part of, whatever state these are in. */
@Tag("io")
class ApplicationDataSourceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

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
                    .withLanes(2);
            JdbcBackend one = JdbcBackend.postgresql(application, options);
            JdbcBackend other = JdbcBackend.postgresql(application, options);
            List<Charge> charge = List.of(Charge.of(Key.of("k"), FixedWindow.of(20, Duration.ofDays(1))));
            assertThat(Crowd.count(
                            50,
                            i -> () -> (i % 2 == 0 ? one : other)
                                    .store()
                                    .consume(charge)
                                    .await(PATIENCE)
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

    private static void holdsWork(JdbcStore store) {
        List<Charge> slot = List.of(Charge.of(Key.of("slot"), Concurrency.of(1)));
        assertThat(store.acquire("a", slot, PATIENCE).await(PATIENCE).admitted())
                .isTrue();
        assertThat(store.acquire("b", slot, PATIENCE).await(PATIENCE).admitted())
                .isFalse();
        assertThat(store.release("a").await(PATIENCE)).isTrue();
        List<Charge> tokens = List.of(new Charge(Key.of("tokens"), FixedWindow.of(100, Duration.ofDays(1)), 60));
        assertThat(store.reserve("r", tokens, PATIENCE).await(PATIENCE).admitted())
                .isTrue();
        assertThat(store.settle("r", Map.of("tokens", 10L)).await(PATIENCE)).isEqualTo(Settlement.DONE);
        assertThat(store.peek(tokens).await(PATIENCE).reading(0).remaining()).isEqualTo(90);
    }
}
