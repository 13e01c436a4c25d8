package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.Effort;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measures every contestant in turn on one Redis, round by round, and tells which bars are met. */
public final class RedisBench {
    private static final int[] CALLERS = {1, 16, 64};
    static final String ONE_LIMIT = "Weir, one limit";
    static final String FOUR_LIMITS = "Weir, four limits";
    static final String NO_WAIT = "Weir, a replica is there";
    static final String WAIT = "Weir, wait=1";

    /**
     * How many turns a second of measuring is cut into. The machine's speed changes from second to second, so that those
     * who are compared must run as close to one another as they can.
     */
    private static final int TURNS = 5;

    /** The parts that can be measured alone; all of them if none is named. */
    private static final List<String> PARTS = List.of("hot", "keys", "limits", "wait", "memory", "raw");

    private final PrintStream progress;
    private final int rounds;
    private final int turns;
    private final long millis;
    private final Effort effort;
    private final String part;
    private final Figures figures = new Figures();
    private final List<String> notes = new ArrayList<>();

    /**
     * @param rounds how often each has its turn
     * @param part one of the parts; empty for all
     */
    public RedisBench(PrintStream progress, int rounds, Effort effort, String part) {
        if (!part.isEmpty() && !PARTS.contains(part)) {
            throw new IllegalArgumentException("redis/" + part + " is not known; there are " + PARTS);
        }
        this.progress = progress;
        this.rounds = effort == Effort.FULL ? rounds : 1;
        this.turns = effort == Effort.CHECK ? 1 : TURNS;
        this.millis = effort == Effort.FULL ? 1_000 : effort == Effort.QUICK ? 300 : 5;
        this.effort = effort;
        this.part = part;
    }

    /** The page about a run. */
    public String run() throws IOException, InterruptedException {
        try (Server server = new Server()) {
            notes.add("Redis " + server.version() + ", " + rounds + " round(s) of " + turns + " turns of "
                    + millis / turns
                    + " ms for each; the figures are medians, the bars' ratios medians of the ratios in each turn.");
            if (wants("hot") || wants("keys")) {
                contest(server);
            }
            if (wants("limits")) {
                limits(server);
            }
            if (wants("wait")) {
                waiting(server);
            }
            if (wants("raw")) {
                notes.addAll(new RawBenchmark(server, millis).run(progress));
            }
            if (wants("memory")) {
                progress.println("memory");
                notes.addAll(new Memory(server, memoryKeys()).measured());
            }
        }
        return new RedisReport(figures, notes).page();
    }

    private int memoryKeys() {
        return effort == Effort.FULL ? 1_000_000 : effort == Effort.QUICK ? 50_000 : 2_000;
    }

    private boolean wants(String name) {
        return part.isEmpty() || part.equals(name);
    }

    private void contest(Server server) throws InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (Cell.Keys keys : Cell.Keys.values()) {
            if (wants(keys == Cell.Keys.HOT ? "hot" : "keys")) {
                for (int callers : CALLERS) {
                    // Those who are compared have their turns one after another.
                    cells.add(new Cell("", keys, callers, false));
                    cells.add(new Cell("", keys, callers, true));
                }
            }
        }
        measure(server, Contestants.all(server.uri()), cells);
    }

    private void limits(Server server) throws InterruptedException {
        measure(
                server,
                List.of(Contestants.weir(ONE_LIMIT, server.uri(), 1), Contestants.weir(FOUR_LIMITS, server.uri(), 4)),
                List.of(new Cell("", Cell.Keys.MANY, 1, false), new Cell("", Cell.Keys.MANY, 16, true)));
    }

    /** The price of waiting until a replica has it. */
    private void waiting(Server server) throws IOException, InterruptedException {
        try (Server replica = new Server("--replicaof", "127.0.0.1 " + server.port())) {
            replica.awaitMaster();
            measure(
                    server,
                    List.of(
                            Contestants.weir(NO_WAIT, server.uri(), 1),
                            Contestants.weir(WAIT, server.uri() + "?wait=1", 1)),
                    List.of(new Cell("", Cell.Keys.HOT, 1, false), new Cell("", Cell.Keys.HOT, 64, true)));
        }
    }

    /** Every contestant in every cell, round by round, after all have run for long enough to be compiled. */
    private void measure(Server server, List<Contestant> contestants, List<Cell> cells) throws InterruptedException {
        Map<String, String[]> keys = new TreeMap<>();
        try {
            for (Contestant each : contestants) {
                progress.println("getting warm: " + each.name());
                for (boolean callbacks : new boolean[] {false, true}) {
                    new Load(each, Cell.Keys.HOT.of("warm-" + each.name()), 16, callbacks)
                            .run(server, 2 * millis, Math.min(millis, 100));
                }
            }
            for (int round = 1; round <= rounds; round++) {
                for (Cell place : cells) {
                    progress.println("round " + round + " of " + rounds + ": " + place.place());
                    for (int turn = 0; turn < turns; turn++) {
                        for (Contestant each : contestants) {
                            Cell cell = place.with(each.name());
                            String[] own = keys.computeIfAbsent(
                                    each.name() + cell.keys(),
                                    fresh -> cell.keys().of(each.name()));
                            Load load = new Load(each, own, cell.callers(), cell.callbacks());
                            figures.add(cell, load.run(server, millis / turns / 2, millis / turns));
                        }
                    }
                }
            }
        } finally {
            contestants.forEach(Contestant::close);
        }
    }
}
