package dev.weir.benchmarks.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Effort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * {@code ./weir bench --only sql}: decisions a second on real databases, Weir beside the bare UPSERT and Bucket4j.
 *
 * <p>Every contestant has its turn in every round, in this one process; the median of the rounds counts, and ratios
 * within one run. PostgreSQL is started here, on this machine's disk, with durable commits.
 */
public final class SqlBenchmark {
    private static final int KEYS = 10_000;
    private static final int MOST_ATTEMPTS = 3;
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

    private final int rounds;
    private final double seconds;
    private final String only;
    private final Consumer<String> progress;
    private final Map<String, List<Load.Result>> results = new LinkedHashMap<>();

    /** @param only only what has this in its name; empty for all */
    public SqlBenchmark(Effort effort, int rounds, String only, Consumer<String> progress) {
        this.rounds = effort == Effort.FULL ? rounds : 1;
        this.seconds = effort == Effort.FULL ? 2 : effort == Effort.QUICK ? 0.5 : 0.01;
        this.only = only;
        this.progress = progress;
    }

    private record Turn(String name, int callers, int keys, boolean async, Supplier<Contestant> contestant) {}

    /** Measures, and answers the page. */
    public String run() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("weir-bench-sql");
        try (EmbeddedPostgres postgres = start();
                HikariDataSource durable = Contestants.pool(url(postgres), 33, true);
                HikariDataSource relaxed = Contestants.pool(url(postgres), 33, false)) {
            List<Turn> turns = new ArrayList<>();
            postgresTurns(turns, url(postgres), durable, relaxed);
            sqliteTurns(turns, directory);
            turns.removeIf(turn -> !turn.name.contains(only));
            for (int round = 1; round <= rounds; round++) {
                for (Turn turn : turns) {
                    progress.accept("round " + round + " of " + rounds + ": " + turn.name);
                    take(turn);
                }
            }
        } finally {
            delete(directory);
        }
        return new SqlReport(results).markdown();
    }

    private void take(Turn turn) throws InterruptedException {
        try (Contestant contestant = turn.contestant.get()) {
            Load load = new Load(turn.name, contestant, turn.callers, turn.keys);
            Load.Result result = turn.async ? load.async(seconds) : load.blocking(seconds);
            results.computeIfAbsent(turn.name, name -> new ArrayList<>()).add(result);
            progress.accept(
                    String.format(Locale.ROOT, "    %,.0f/s %s %s", result.perSecond(), result, contestant.remark()));
        }
    }

    private static void postgresTurns(
            List<Turn> turns, String url, HikariDataSource durable, HikariDataSource relaxed) {
        for (int keys : List.of(1, KEYS)) {
            String what = keys == 1 ? "hot, 32" : "10k, 32";
            turns.add(new Turn("pg/" + what + "/bare", 32, keys, false, () -> Contestants.bare(durable)));
            turns.add(new Turn(
                    "pg/" + what + "/bucket4j advisory", 32, keys, false, () -> Contestants.bucket4j(durable, true)));
            turns.add(new Turn(
                    "pg/" + what + "/bucket4j select", 32, keys, false, () -> Contestants.bucket4j(durable, false)));
            turns.add(new Turn("pg/" + what + "/weir", 32, keys, false, () -> Contestants.weir(url)));
            turns.add(new Turn("pg/" + what + "/weir, called back", 32, keys, true, () -> Contestants.weir(url)));
            turns.add(new Turn(
                    "pg/" + what + "/weir, two lanes", 32, keys, false, () -> Contestants.weir(url + "&lanes=2")));
            turns.add(new Turn(
                    "pg/" + what + "/weir, two lanes, called back",
                    32,
                    keys,
                    true,
                    () -> Contestants.weir(url + "&lanes=2")));
            turns.add(new Turn("pg/" + what + "/bare, async commit", 32, keys, false, () -> Contestants.bare(relaxed)));
            turns.add(new Turn(
                    "pg/" + what + "/weir, async commit",
                    32,
                    keys,
                    false,
                    () -> Contestants.weir(url + "&synchronous=normal")));
        }
        turns.add(new Turn("pg/hot, 1/bare", 1, 1, false, () -> Contestants.bare(durable)));
        turns.add(new Turn("pg/hot, 1/weir", 1, 1, false, () -> Contestants.weir(url)));
        turns.add(new Turn("pg/ingest, 32/weir", 32, KEYS, false, () -> Contestants.ingest(url)));
        turns.add(new Turn("pg/ingest, 1/weir", 1, KEYS, false, () -> Contestants.ingest(url)));
    }

    private static void sqliteTurns(List<Turn> turns, Path directory) {
        String file = directory.resolve("normal.db").toString();
        String own = directory.resolve("weir.db").toString();
        String full = directory.resolve("full.db").toString();
        for (int keys : List.of(1, KEYS)) {
            String what = keys == 1 ? "hot, 64" : "10k, 64";
            turns.add(new Turn("sqlite/" + what + "/bare", 64, keys, false, () -> Contestants.bareSqlite(file, false)));
            turns.add(new Turn(
                    "sqlite/" + what + "/weir", 64, keys, false, () -> Contestants.weir("jdbc:sqlite:" + own)));
            turns.add(new Turn(
                    "sqlite/" + what + "/weir, called back",
                    64,
                    keys,
                    true,
                    () -> Contestants.weir("jdbc:sqlite:" + own)));
        }
        turns.add(new Turn("sqlite/hot, 1/bare", 1, 1, false, () -> Contestants.bareSqlite(file, false)));
        turns.add(new Turn("sqlite/hot, 1/weir", 1, 1, false, () -> Contestants.weir("jdbc:sqlite:" + own)));
        turns.add(new Turn("sqlite/ingest, 64/weir", 64, KEYS, false, () -> Contestants.ingest("jdbc:sqlite:" + own)));
        turns.add(new Turn("sqlite/ingest, 1/weir", 1, KEYS, false, () -> Contestants.ingest("jdbc:sqlite:" + own)));
        turns.add(new Turn("sqlite/full, 64/bare", 64, 1, false, () -> Contestants.bareSqlite(full, true)));
        turns.add(new Turn(
                "sqlite/full, 64/weir",
                64,
                1,
                false,
                () -> Contestants.weir("jdbc:sqlite:" + full + "?synchronous=full&timeout=10s")));
    }

    /** Tried again, as another process may take the port before PostgreSQL does. */
    private static EmbeddedPostgres start() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return startOnce();
            } catch (IOException | IllegalStateException e) {
                if (attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static EmbeddedPostgres startOnce() throws IOException {
        return EmbeddedPostgres.builder()
                .setPGStartupWait(START_TIMEOUT)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_buffers", "128MB")
                .setServerConfig("max_connections", "150")
                .start();
    }

    private static String url(EmbeddedPostgres postgres) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres?user=postgres";
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(directory);
    }
}
