package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class SqliteFailureTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Policy TEN = FixedWindow.of(10, Duration.ofDays(1));
    private static final List<Charge> ONE = List.of(Charge.of(Key.of("k"), TEN));

    private final Path file = SqliteUnderTest.newFile();

    @AfterEach
    void delete() {
        SqliteUnderTest.delete(file);
    }

    @Test
    void consume_whileAnotherProcessHoldsTheLock_failsInTimeWithoutHoldingTheCaller() throws Exception {
        JdbcStore store = JdbcStore.open("jdbc:sqlite:" + file + "?timeout=300ms");
        store.consume(ONE).await(LONG);
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            Answer<Decision> answer = store.consume(ONE);
            assertThat(answer.isDone()).as("the caller waits for nobody's lock").isFalse();
            assertThatThrownBy(() -> answer.await(LONG))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("locked");
            Answer<Decision> inTime = store.consume(ONE);
            statement.execute("COMMIT");
            assertThat(inTime.await(LONG).admitted()).isTrue();
        }
        assertThat(store.peek(ONE).await(LONG).reading(0).remaining()).isEqualTo(8);
        store.close();
    }

    /** Nothing is half written, and once there is room the store goes on. */
    @Test
    void consume_onAFullDisk_failsClearlyAndDamagesNothing() throws Exception {
        JdbcStoreOptions options = JdbcStoreOptions.defaults().withCleanup(null).withTimeout(Duration.ofSeconds(5));
        JdbcStore store = JdbcBackend.sqlite("jdbc:sqlite:" + file + "?max_page_count=40", options, null)
                .store();
        int admitted = 0;
        StoreException failure = null;
        for (int i = 0; i < 5_000 && failure == null; i++) {
            try {
                store.consume(List.of(Charge.of(Key.of("k", "x".repeat(150) + i), TEN)))
                        .await(LONG);
                admitted++;
            } catch (StoreException e) {
                failure = e;
            }
        }
        assertThat(failure).isNotNull().hasMessageContaining("full");
        assertThat(store.consume(List.of(Charge.of(Key.of("k", "x".repeat(150) + 0), TEN)))
                        .await(LONG)
                        .reading(0)
                        .remaining())
                .isEqualTo(8);
        store.close();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            try (ResultSet check = statement.executeQuery("PRAGMA integrity_check")) {
                assertThat(check.getString(1)).isEqualTo("ok");
            }
            try (ResultSet count = statement.executeQuery("SELECT count(*) FROM weir_budget")) {
                assertThat(count.getInt(1)).isEqualTo(admitted);
            }
        }
    }

    @Test
    void open_whatIsNoDatabase_saysSo() throws Exception {
        Files.writeString(file, "x".repeat(10_000));
        assertThatThrownBy(() -> JdbcStore.open("jdbc:sqlite:" + file))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("damaged or is none");
    }
}
