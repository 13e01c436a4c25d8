package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.fixture.Ports;
import dev.weir.fixture.PostgresProcess;
import dev.weir.store.jdbc.rows.RowKey;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("io")
class PostgresFailureTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final String DEADLOCKS = "SELECT sum(deadlocks) FROM pg_stat_database";
    private static final String WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

    /** Killed under load and started again: what was acknowledged is kept, and nobody is admitted over the limit. */
    @Test
    void consume_whileTheServerIsKilled_failsAndRecoversAndKeepsWhatWasAcknowledged(@TempDir Path directory)
            throws Exception {
        Path data = directory.resolve("data");
        EmbeddedPostgres first = start(data, Ports.reserve());
        int port = first.getPort();
        Policy policy = FixedWindow.of(1_000_000, Duration.ofDays(1));
        List<Charge> one = List.of(Charge.of(Key.of("k"), policy));
        JdbcStore store = JdbcStore.open(
                "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres&timeout=500ms&cleanup=never");
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        AtomicBoolean ends = new AtomicBoolean();
        ExecutorService callers = Executors.newFixedThreadPool(8);
        for (int i = 0; i < 8; i++) {
            callers.execute(() -> {
                while (!ends.get()) {
                    try {
                        acknowledged.addAndGet(store.consume(one).await(LONG).admitted() ? 1 : 0);
                    } catch (StoreException e) {
                        failed.incrementAndGet();
                    }
                }
            });
        }
        await().atMost(LONG).until(() -> acknowledged.get() > 200);
        kill(data);
        await().atMost(LONG).until(() -> failed.get() > 8);
        int before = acknowledged.get();
        try (EmbeddedPostgres second = start(data, port)) {
            assertThat(second.getPort()).isEqualTo(port);
            await().atMost(LONG).until(() -> acknowledged.get() > before + 200);
            ends.set(true);
            callers.shutdown();
            assertThat(callers.awaitTermination(90, TimeUnit.SECONDS)).isTrue();
            long spent = 1_000_000 - store.peek(one).await(LONG).reading(0).remaining();
            assertThat(spent)
                    .as("acknowledged, and at most what was under way when it was killed")
                    .isBetween((long) acknowledged.get(), acknowledged.get() + (long) failed.get());
            store.close();
        }
    }

    /** Another session takes the locks of two keys in the other order, as Weir never does, and waits for longer. */
    @Test
    void consume_thatIsADeadlocksVictim_isTriedAgain() throws Exception {
        PostgresServer.Place place = PostgresServer.place();
        Policy policy = FixedWindow.of(10, Duration.ofDays(1));
        List<Charge> both = List.of(Charge.of(Key.of("a"), policy), Charge.of(Key.of("b"), policy));
        long[] locks = both.stream()
                .mapToLong(charge -> RowKey.of(charge.key()).lock())
                .sorted()
                .toArray();
        JdbcStore store = JdbcStore.open(place.uri() + "&timeout=20s&options=-c%20deadlock_timeout=1s");
        try (Connection other = DriverManager.getConnection(place.uri());
                Statement statement = other.createStatement()) {
            long before = number(place, DEADLOCKS);
            statement.execute("SET deadlock_timeout = '1min'");
            other.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(" + locks[1] + ")");
            Answer<Decision> answer = store.consume(both);
            await().pollInterval(Duration.ofMillis(10)).atMost(LONG).until(() -> number(place, WAITING) == 1);
            statement.execute("SELECT pg_advisory_xact_lock(" + locks[0] + ")");
            other.commit();
            assertThat(answer.await(LONG).admitted()).isTrue();
            assertThat(answer.now().reading(0).remaining()).isEqualTo(9);
            await().atMost(LONG).until(() -> number(place, DEADLOCKS) > before);
        } finally {
            store.close();
            place.free();
        }
    }

    private static long number(PostgresServer.Place place, String sql) {
        return place.connections().autocommit(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    @Test
    void open_ofADatabaseThatIsNotThere_saysSo() {
        String uri = PostgresServer.uri("public").replace("/postgres?", "/nowhere?") + "&timeout=20s";
        assertThatThrownBy(() -> JdbcStore.open(uri))
                .isInstanceOf(StoreException.class)
                .hasMessage("PostgreSQL has no such database; create it, or correct its name in the store's URI");
    }

    @Test
    void open_asAUserThatIsNotThere_saysWhereToCorrectIt() {
        String uri = PostgresServer.uri("public").replaceFirst("user=[^&]*", "user=nobody") + "&timeout=10s";
        assertThat(uri).contains("user=nobody");
        assertThatThrownBy(() -> JdbcStore.open(uri))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        failure -> assertThat(failure.retryable()).isFalse())
                .hasMessage("PostgreSQL refuses the user or the password; correct them in the store's URI, as in"
                        + " ?user=...&password=...");
    }

    private static EmbeddedPostgres start(Path data, int port) {
        return PostgresProcess.startAt(
                port,
                options -> options.setDataDirectory(data)
                        .setCleanDataDirectory(false)
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("fsync", "on"));
    }

    private static void kill(Path data) throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> backends = postmaster.children().toList();
        postmaster.destroyForcibly();
        backends.forEach(ProcessHandle::destroyForcibly);
        await().atMost(LONG)
                .until(() -> !postmaster.isAlive() && backends.stream().noneMatch(ProcessHandle::isAlive));
        Files.deleteIfExists(data.resolve("postmaster.pid"));
        Files.deleteIfExists(data.resolve("epg-lock"));
    }
}
