package dev.weir.benchmarks.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.load.Run;
import dev.weir.benchmarks.load.StoreResults;
import dev.weir.fixture.PostgresProcess;
import dev.weir.fixture.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Measures decisions a second on real databases: Weir, the bare UPSERT and Bucket4j ({@code ./weir bench --only sql}).
 *
 * <p>Every contestant has its turn in every round, in this one process. Figures are medians of the rounds; ratios are
 * within one run. The benchmark starts PostgreSQL on this machine's disk, with durable commits.
 */
public final class SqlBenchmark {
    private static final int MANY = 10_000;

    private final Run run;
    private final int millis;
    private final List<Turn> turns = new ArrayList<>();
    private final Figures<String> figures = new Figures<>();

    public SqlBenchmark(Run run) {
        this.run = run;
        this.millis = run.effort().choose(2_000, 500, 10);
    }

    private record Turn(String name, int callers, int keys, boolean callbacks, Supplier<Contestant> contestant) {}

    /** Measures every turn that the run names. */
    public StoreResults run() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("weir-bench-sql");
        try (EmbeddedPostgres postgres = start();
                HikariDataSource durable = Contestants.pool(url(postgres), 33, true);
                HikariDataSource relaxed = Contestants.pool(url(postgres), 33, false)) {
            addPostgres(url(postgres), durable, relaxed);
            addSqlite(directory);
            turns.removeIf(turn -> !turn.name.contains(run.part()));
            for (int round = 1; round <= run.rounds(); round++) {
                for (Turn turn : turns) {
                    run.progress().println("  round " + round + " of " + run.rounds() + ": " + turn.name);
                    take(turn);
                }
            }
        } finally {
            ServerProcess.delete(directory);
        }
        return StoreResults.of(new SqlReport(figures).markdown(), figures, name -> "sql/" + name);
    }

    private void take(Turn turn) throws InterruptedException {
        try (Contestant contestant = turn.contestant.get()) {
            String[] keys = Load.keys(Contestants.KEY, turn.keys);
            Load load = new Load(turn.name, contestant, keys, turn.callers, turn.callbacks, turn.callers == 1);
            Load.Result result = load.run(millis * 2L / 5, millis);
            figures.add(turn.name, result);
            run.progress().println(String.format(Locale.ROOT, "      %,.0f/s %s", result.perSecond(), result));
        }
    }

    private void addPostgres(String url, HikariDataSource durable, HikariDataSource relaxed) {
        for (int keys : new int[] {1, MANY}) {
            String place = "pg/" + (keys == 1 ? "hot" : "10k") + ", 32/";
            add(place + "bare", 32, keys, () -> Contestants.bare(durable));
            add(place + "bucket4j advisory", 32, keys, () -> Contestants.bucket4j(durable, true));
            add(place + "bucket4j select", 32, keys, () -> Contestants.bucket4j(durable, false));
            addBoth(place + "weir", 32, keys, () -> Contestants.weir(url));
            addBoth(place + "weir, two in flight", 32, keys, () -> Contestants.weir(url + "&max-in-flight=2"));
            add(place + "bare, async commit", 32, keys, () -> Contestants.bare(relaxed));
            add(place + "weir, async commit", 32, keys, () -> Contestants.weir(url + "&synchronous=normal"));
        }
        add("pg/hot, 1/bare", 1, 1, () -> Contestants.bare(durable));
        add("pg/hot, 1/weir", 1, 1, () -> Contestants.weir(url));
        add("pg/ingest, 32/weir", 32, MANY, () -> Contestants.ingest(url));
        add("pg/ingest, 1/weir", 1, MANY, () -> Contestants.ingest(url));
    }

    private void addSqlite(Path directory) {
        String file = directory.resolve("normal.db").toString();
        String own = "jdbc:sqlite:" + directory.resolve("weir.db");
        String full = directory.resolve("full.db").toString();
        String weirFull = "jdbc:sqlite:" + full + "?synchronous=full&timeout=10s";
        for (int keys : new int[] {1, MANY}) {
            String place = "sqlite/" + (keys == 1 ? "hot" : "10k") + ", 64/";
            add(place + "bare", 64, keys, () -> Contestants.bareSqlite(file, false));
            addBoth(place + "weir", 64, keys, () -> Contestants.weir(own));
        }
        add("sqlite/hot, 1/bare", 1, 1, () -> Contestants.bareSqlite(file, false));
        add("sqlite/hot, 1/weir", 1, 1, () -> Contestants.weir(own));
        add("sqlite/ingest, 64/weir", 64, MANY, () -> Contestants.ingest(own));
        add("sqlite/ingest, 1/weir", 1, MANY, () -> Contestants.ingest(own));
        add("sqlite/full, 64/bare", 64, 1, () -> Contestants.bareSqlite(full, true));
        add("sqlite/full, 64/weir", 64, 1, () -> Contestants.weir(weirFull));
    }

    private void add(String name, int callers, int keys, Supplier<Contestant> contestant) {
        turns.add(new Turn(name, callers, keys, false, contestant));
    }

    /** Adds a turn with waiting threads and one with callbacks. */
    private void addBoth(String name, int callers, int keys, Supplier<Contestant> contestant) {
        add(name, callers, keys, contestant);
        turns.add(new Turn(name + ", called back", callers, keys, true, contestant));
    }

    private static EmbeddedPostgres start() {
        return PostgresProcess.start(builder -> builder.setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_buffers", "128MB")
                .setServerConfig("max_connections", "150"));
    }

    private static String url(EmbeddedPostgres postgres) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres?user=postgres";
    }
}
