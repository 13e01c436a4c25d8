package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresFailureTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Killed under load and started again: what was acknowledged is kept, and nobody is admitted over the limit. */
    @Test
    void consume_whileTheServerIsKilled_failsAndRecoversAndKeepsWhatWasAcknowledged(@TempDir Path directory)
            throws Exception {
        Path data = directory.resolve("data");
        EmbeddedPostgres first = start(data, 0);
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
            assertThat(callers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            long spent = 1_000_000 - store.peek(one).await(LONG).reading(0).remaining();
            assertThat(spent)
                    .as("acknowledged, and at most what was under way when it was killed")
                    .isBetween((long) acknowledged.get(), acknowledged.get() + (long) failed.get());
            store.close();
        }
    }

    @Test
    void transaction_thatIsADeadlocksVictim_isTriedAgain() {
        PostgresServer.Place place = PostgresServer.place();
        AtomicInteger attempts = new AtomicInteger();
        int result = place.connections().transaction(connection -> {
            if (attempts.incrementAndGet() < 3) {
                throw new SQLException("deadlock detected", "40P01");
            }
            return 7;
        });
        assertThat(result).isEqualTo(7);
        assertThat(attempts).hasValue(3);
        place.free();
    }

    @Test
    void open_ofADatabaseThatIsNotThere_saysSo() {
        String uri = PostgresServer.uri("public").replace("/postgres?", "/nowhere?") + "&timeout=500ms";
        assertThatThrownBy(() -> JdbcStore.open(uri))
                .isInstanceOf(StoreException.class)
                .hasMessage("PostgreSQL has no such database; create it");
    }

    private static EmbeddedPostgres start(Path data, int port) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("fsync", "on");
        return (port == 0 ? builder : builder.setPort(port)).start();
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
