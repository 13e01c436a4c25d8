package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.store.jdbc.rows.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class JdbcUriTest {
    @Test
    void options_ofPostgresql_areSplitBetweenWeirAndTheDriver() {
        JdbcUri uri = JdbcUri.parse(
                "jdbc:postgresql://h/db?user=u&timeout=50ms&currentSchema=s&synchronous=normal&max-in-flight=3&cleanup=never");
        assertThat(uri.url()).isEqualTo("jdbc:postgresql://h/db?user=u&currentSchema=s");
        assertThat(uri.options().timeout()).isEqualTo(Duration.ofMillis(50));
        assertThat(uri.options().durability()).isEqualTo(JdbcStoreOptions.Durability.NORMAL);
        assertThat(uri.options().maxInFlight()).isEqualTo(3);
        assertThat(uri.options().cleanup()).isNull();
    }

    @Test
    void unknownOptions_areNamed_andNothingElseIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcUri.parse("jdbc:sqlite:/tmp/x.db?sync=full&password=secret&pool=1"))
                .withMessageContaining("'sync'")
                .withMessageContaining("'pool'")
                .withMessageContaining("timeout")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcUri.parse("jdbc:postgresql://h/db?password=secret&timeuot=1s"))
                .withMessageContaining("'timeuot'")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @Test
    void values_thatAreWrong_areExplained() {
        for (String option : new String[] {
            "timeout=fast",
            "timeout=0ms",
            "max-in-flight=0",
            "max-in-flight=65",
            "synchronous=maybe",
            "migrate=perhaps",
            "poll=1"
        }) {
            String name = option.substring(0, option.indexOf('='));
            assertThatIllegalArgumentException()
                    .as(option)
                    .isThrownBy(() -> JdbcUri.parse("jdbc:sqlite:x?" + option))
                    .withMessageContaining(name);
        }
    }

    @Test
    void otherDatabases_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcUri.parse("jdbc:mysql://h/db"))
                .withMessageContaining("jdbc:sqlite:");
        assertThatIllegalArgumentException().isThrownBy(() -> JdbcUri.parse("jdbc:sqlite:"));
    }

    @Test
    void urisThatTheDriverDoesNotTake_areExplainedWithoutThePassword() {
        for (String uri : new String[] {
            "jdbc:postgresql://h/db?password=secret&user=%zz",
            "jdbc:postgresql://h:port/db?password=secret",
            "jdbc:postgresql://u:secret@h/db"
        }) {
            assertThatIllegalArgumentException()
                    .as(uri)
                    .isThrownBy(() -> JdbcBackend.open(uri))
                    .withMessageContaining("?user=USER&password=PASSWORD")
                    .satisfies(JdbcUriTest::hidesTheSecret);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcUri.parse("jdbc:sqlite:x?timeout=%zz"))
                .withMessageContaining("timeout");
    }

    @Test
    void sqliteInMemoryOrFromElsewhere_isRefused() {
        for (String name : new String[] {":memory:", ":resource:http://localhost/x.db"}) {
            assertThatIllegalArgumentException()
                    .as(name)
                    .isThrownBy(() -> JdbcBackend.open("jdbc:sqlite:" + name))
                    .withMessageContaining("must name a file");
        }
    }

    @Test
    void open_unreachable_saysSoWithoutThePassword() {
        assertThatThrownBy(
                        () -> JdbcBackend.open("jdbc:postgresql://localhost:1/db?user=u&password=secret&timeout=300ms"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be reached")
                .satisfies(JdbcUriTest::hidesTheSecret);
        assertThatThrownBy(() -> JdbcBackend.open("jdbc:sqlite:/no/such/directory/x.db"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be opened");
    }

    @Test
    void open_withoutMigrating_saysWhichFileToRun() {
        Path file = SqliteUnderTest.newFile();
        assertThatThrownBy(() -> JdbcBackend.open("jdbc:sqlite:" + file + "?migrate=false"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("sqlite-1.sql");
        SqliteUnderTest.delete(file);
        assertThatThrownBy(() -> JdbcBackend.open(PostgresServer.uri(PostgresServer.newSchema()) + "&migrate=false"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("postgresql-1.sql");
    }

    @Test
    void open_ofTablesOfAnEarlierVersion_addsWhatCameSince() throws Exception {
        String uri = PostgresServer.uri(PostgresServer.newSchema()) + "&timeout=20s";
        try (Connection connection = DriverManager.getConnection(uri.replace("&timeout=20s", ""));
                Statement statement = connection.createStatement()) {
            statement.execute(Schema.script("postgresql-1.sql"));
        }
        assertThatThrownBy(() -> JdbcBackend.open(uri + "&migrate=false"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("postgresql-2.sql");
        Charge charge = Charge.of(Key.of("k"), FixedWindow.of(1, Duration.ofDays(1)));
        for (String options : List.of("", "&migrate=false")) {
            try (JdbcStore store = JdbcStore.open(uri + options)) {
                assertThat(store.consume(List.of(charge))
                                .await(Duration.ofMinutes(1))
                                .admitted())
                        .isEqualTo(options.isEmpty());
            }
        }
    }

    @Test
    void open_byManyNodesAtOnce_migratesOnce() throws Exception {
        String uri = PostgresServer.uri(PostgresServer.newSchema()) + "&timeout=20s";
        assertThat(ConcurrentCallers.count(5, i -> () -> {
                    JdbcStore.open(uri).close();
                    return true;
                }))
                .isEqualTo(5);
    }

    private static void hidesTheSecret(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            assertThat(String.valueOf(cause.getMessage())).doesNotContain("secret");
        }
    }
}
