package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.load.Run;
import dev.weir.benchmarks.load.StoreResults;
import dev.weir.benchmarks.measure.Effort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measures every contestant in turn on one Redis, round by round, and judges the bars. */
public final class RedisBench {
    static final String ONE_LIMIT = "Weir, one limit";
    static final String FOUR_LIMITS = "Weir, four limits";
    static final String NO_WAIT = "Weir, a replica is there";
    static final String WAIT = "Weir, wait=1";

    /** The parts that can be measured alone; all of them if the run names none. */
    private static final List<String> PARTS = List.of("hot", "keys", "limits", "wait", "memory", "raw");

    private final Run run;
    private final int turns;
    private final int millis;
    private final Figures<Cell> figures = new Figures<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Creates a benchmark with the options of a run.
     *
     * @throws IllegalArgumentException if there is no such part
     */
    public RedisBench(Run run) {
        if (!run.part().isEmpty() && !PARTS.contains(run.part())) {
            throw new IllegalArgumentException("redis/" + run.part() + " is not known; there are " + PARTS);
        }
        this.run = run;
        // The machine's speed changes from second to second, so compared contestants have short turns.
        this.turns = run.effort() == Effort.CHECK ? 1 : 5;
        this.millis = run.effort().choose(1_000, 300, 5);
    }

    /** Measures every part that the run names. */
    public StoreResults run() throws IOException, InterruptedException {
        try (Server server = new Server()) {
            notes.add("Redis " + server.version() + ", " + run.rounds() + " round(s) of " + turns + " turns of "
                    + millis / turns
                    + " ms for each; the figures are medians, the bars' ratios medians of the ratios in each turn.");
            if (wants("hot") || wants("keys")) {
                contest(server);
            }
            if (wants("limits")) {
                measure(
                        List.of(
                                Contestants.weir(ONE_LIMIT, server, "", 1),
                                Contestants.weir(FOUR_LIMITS, server, "", 4)),
                        List.of(new Cell("", Cell.Keys.MANY, 1, false), new Cell("", Cell.Keys.MANY, 16, true)));
            }
            if (wants("wait")) {
                waiting(server);
            }
            if (wants("raw")) {
                notes.addAll(new RawBenchmark(server, millis).run(run.progress()));
            }
            if (wants("memory")) {
                run.progress().println("memory");
                notes.addAll(new Memory(server, run.effort().choose(1_000_000, 50_000, 2_000)).measured());
            }
        }
        return StoreResults.of(new RedisReport(figures, notes).page(), figures, Cell::id);
    }

    private boolean wants(String name) {
        return run.part().isEmpty() || run.part().equals(name);
    }

    private void contest(Server server) throws InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (Cell.Keys keys : Cell.Keys.values()) {
            if (wants(keys == Cell.Keys.HOT ? "hot" : "keys")) {
                for (int callers : new int[] {1, 16, 64}) {
                    cells.add(new Cell("", keys, callers, false));
                    cells.add(new Cell("", keys, callers, true));
                }
            }
        }
        measure(Contestants.all(server), cells);
    }

    /** Measures the cost of waiting for a replica's acknowledgement. */
    private void waiting(Server server) throws IOException, InterruptedException {
        try (Server replica = new Server("--replicaof", "127.0.0.1 " + server.port())) {
            replica.awaitMaster();
            measure(
                    List.of(Contestants.weir(NO_WAIT, server, "", 1), Contestants.weir(WAIT, server, "&wait=1", 1)),
                    List.of(new Cell("", Cell.Keys.HOT, 1, false), new Cell("", Cell.Keys.HOT, 64, true)));
        }
    }

    /** Measures every contestant in every cell, round by round, after all have run long enough to be compiled. */
    private void measure(List<Contestant> contestants, List<Cell> cells) throws InterruptedException {
        Map<String, String[]> keys = new TreeMap<>();
        try {
            for (Contestant each : contestants) {
                run.progress().println("getting warm: " + each.name());
                for (boolean callbacks : new boolean[] {false, true}) {
                    new Load(each.name(), each, new String[] {"warm-" + each.name()}, 16, callbacks, true)
                            .run(2L * millis, Math.min(millis, 100));
                }
            }
            for (int round = 1; round <= run.rounds(); round++) {
                for (Cell place : cells) {
                    run.progress()
                            .println("round " + round + " of " + run.rounds() + ": " + place.how() + ", "
                                    + place.keys().title + ", " + place.callers() + " callers");
                    for (int turn = 0; turn < turns; turn++) {
                        for (Contestant each : contestants) {
                            Cell cell = place.with(each.name());
                            String[] own = keys.computeIfAbsent(
                                    each.name() + cell.keys(),
                                    fresh -> Load.keys(each.name() + "-user", cell.keys().count));
                            Load load = new Load(each.name(), each, own, cell.callers(), cell.callbacks(), true);
                            figures.add(cell, load.run(millis / turns / 2, millis / turns));
                        }
                    }
                }
            }
        } finally {
            contestants.forEach(Contestant::close);
        }
    }
}
