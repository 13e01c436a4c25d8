package dev.weir.benchmarks.rls;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.load.Run;
import dev.weir.benchmarks.load.StoreResults;
import dev.weir.benchmarks.measure.Effort;
import dev.weir.benchmarks.measure.Table;
import dev.weir.fixture.RedisProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures {@code ShouldRateLimit} over gRPC on loopback ({@code ./weir bench --only rls}): on memory beside a bare
 * gRPC server, and on Redis beside the algorithm of Envoy's own service. Client and server share this process.
 */
public final class RlsBench {
    private static final List<String> STORES = List.of("memory", "redis");
    private static final int[] CALLERS = {1, 16, 64};
    private static final int KEYS = 10_000;
    /** The rate at which the latency is judged; Envoy waits for 20 ms by default. */
    private static final int PACE = 3_000;

    private final Run run;
    private final int turns;
    private final int millis;
    private final Figures<Cell> figures = new Figures<>();
    private final Map<String, List<double[]>> paced = new LinkedHashMap<>();

    /** One figure: which server, on which store, with how many descriptors and callers. */
    private record Cell(String name, String store, int descriptors, int callers) {
        private Cell of(String other) {
            return new Cell(other, store, descriptors, callers);
        }

        private String id() {
            return "rls/" + store + "/" + row() + ", " + callers + " callers";
        }

        private String row() {
            return name
                    + (descriptors == 0
                            ? ""
                            : ", " + descriptors + (descriptors == 1 ? " descriptor" : " descriptors"));
        }
    }

    /** A contestant's place in the tables, and how to start it. */
    private record Entry(Cell cell, Supplier<Contestant> start) {}

    /**
     * Creates a benchmark with the options of a run.
     *
     * @throws IllegalArgumentException if there is no such part
     */
    public RlsBench(Run run) {
        if (!run.part().isEmpty() && !STORES.contains(run.part())) {
            throw new IllegalArgumentException("rls/" + run.part() + " is not known; there are " + STORES);
        }
        this.run = run;
        // The machine's speed changes from second to second, so compared contestants have short turns.
        this.turns = run.effort() == Effort.CHECK ? 1 : 5;
        this.millis = run.effort().choose(2_000, 500, 20);
    }

    /** Measures every part that the run names. */
    public StoreResults run() throws InterruptedException {
        if (wants("memory")) {
            measure(List.of(
                    new Entry(new Cell(Contestants.HELLO, "memory", 0, 0), Contestants::hello),
                    weir("memory", "memory", 1),
                    weir("memory", "memory", 4)));
        }
        if (wants("redis")) {
            try (RedisProcess redis = RedisProcess.start()) {
                String uri = redis.uri();
                measure(List.of(pipeline(uri, 1), weir("redis", uri, 1), pipeline(uri, 4), weir("redis", uri, 4)));
            }
        }
        return StoreResults.of(page(), figures, Cell::id);
    }

    private boolean wants(String store) {
        return run.part().isEmpty() || run.part().equals(store);
    }

    private static Entry weir(String store, String uri, int descriptors) {
        Cell cell = new Cell(Contestants.WEIR, store, descriptors, 0);
        return new Entry(
                cell,
                () -> Contestants.weir(cell.row(), store.equals("redis") ? uri + "?timeout=10s" : uri, descriptors));
    }

    private static Entry pipeline(String uri, int descriptors) {
        return new Entry(
                new Cell(Contestants.PIPELINE, "redis", descriptors, 0), () -> Contestants.pipeline(uri, descriptors));
    }

    /** Measures every contestant in turn, round by round, after all have run long enough to be compiled. */
    private void measure(List<Entry> entries) throws InterruptedException {
        String[] keys = Load.keys("user", KEYS);
        List<Contestant> contestants = new ArrayList<>();
        try {
            for (Entry entry : entries) {
                Contestant contestant = entry.start.get();
                contestants.add(contestant);
                run.progress().println("getting warm: " + entry.cell.row() + " on " + entry.cell.store);
                var unused = new Load(entry.cell.row(), contestant, keys, 16, true, true).run(2L * millis, millis);
            }
            for (int round = 1; round <= run.rounds(); round++) {
                for (int callers : CALLERS) {
                    run.progress()
                            .println("round " + round + " of " + run.rounds() + ": " + callers + " callers on "
                                    + entries.get(0).cell.store);
                    turns(entries, contestants, keys, callers);
                }
                pace(entries, contestants, keys);
            }
        } finally {
            contestants.forEach(Contestant::close);
        }
    }

    private void turns(List<Entry> entries, List<Contestant> contestants, String[] keys, int callers)
            throws InterruptedException {
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < entries.size(); i++) {
                Cell cell = entries.get(i).cell;
                Load load = new Load(cell.row(), contestants.get(i), keys, callers, true, true);
                figures.add(
                        new Cell(cell.name, cell.store, cell.descriptors, callers),
                        load.run(millis / turns / 2, millis / turns));
            }
        }
    }

    private void pace(List<Entry> entries, List<Contestant> contestants, String[] keys) throws InterruptedException {
        for (int i = 0; i < entries.size(); i++) {
            Cell cell = entries.get(i).cell;
            run.progress().println(PACE + " requests a second: " + cell.row() + " on " + cell.store);
            double[] latencies = PacedLoad.run(
                    cell.row(), contestants.get(i), keys, PACE, run.effort().choose(30_000, 6_000, 100));
            paced.computeIfAbsent(cell.row() + " on " + cell.store, fresh -> new ArrayList<>())
                    .add(latencies);
        }
    }

    private String page() {
        Table all = new Table(
                "Envoy's rate limit service: requests a second",
                1,
                List.of("requests a second (p99 in ms)", "1 caller", "16 callers", "64 callers"));
        List<Cell> rows = figures.places().stream()
                .map(cell -> new Cell(cell.name, cell.store, cell.descriptors, 0))
                .distinct()
                .toList();
        for (Cell row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.row() + " on " + row.store));
            for (int callers : CALLERS) {
                Cell cell = new Cell(row.name, row.store, row.descriptors, callers);
                cells.add(number("%,.0f", figures.median(cell, Load.Result::perSecond)) + " ("
                        + number("%.2f", figures.median(cell, Load.Result::p99) / 1e3) + ")");
            }
            all.add(cells);
        }
        Table latencies = new Table("", 1, List.of("ms at " + PACE + " requests a second", "p50", "p99", "p99.9"));
        paced.forEach((name, runs) ->
                latencies.add(List.of(name, quantile(runs, 0.5), quantile(runs, 0.99), quantile(runs, 0.999))));
        return all.markdown() + "\n" + latencies.markdown() + "\n" + bars().markdown();
    }

    private Table bars() {
        Table bars = new Table("", 1, List.of("bar", "required", "measured", "verdict"));
        for (int callers : CALLERS) {
            ratio(
                    bars,
                    "memory, 1 descriptor, " + callers + " callers: Weir / bare gRPC hello",
                    new Cell(Contestants.WEIR, "memory", 1, callers),
                    new Cell(Contestants.HELLO, "memory", 0, callers),
                    0.75);
        }
        for (int descriptors : new int[] {1, 4}) {
            Cell weir = new Cell(Contestants.WEIR, "redis", descriptors, 64);
            ratio(
                    bars,
                    "Redis, " + descriptors + " descriptors, 64 callers: Weir / INCRBY pipeline",
                    weir,
                    weir.of(Contestants.PIPELINE),
                    2);
        }
        paced.forEach((name, runs) -> {
            if (name.startsWith(Contestants.WEIR)) {
                double p99 = median(runs, 0.99);
                bars.add(List.of(
                        "p99 at " + PACE + " requests a second: " + name,
                        "≤ 5 ms",
                        number("%.2f", p99) + " ms",
                        p99 <= 5 ? "met" : "**not met**"));
            }
        });
        return bars;
    }

    private void ratio(Table bars, String what, Cell own, Cell peer, double least) {
        double ratio = Figures.median(figures.ratios(own, peer, Load.Result::perSecond));
        if (!Double.isNaN(ratio)) {
            bars.add(List.of(
                    what,
                    "≥ " + number("%.2f", least) + " ×",
                    number("%.2f", ratio) + " ×",
                    ratio >= least ? "met" : "**not met**"));
        }
    }

    private static String quantile(List<double[]> runs, double part) {
        return number("%.2f", median(runs, part));
    }

    /** The median of the runs' quantiles, in milliseconds. */
    private static double median(List<double[]> runs, double part) {
        return Figures.median(runs.stream().mapToDouble(run -> run[(int) (run.length * part)] / 1e3));
    }
}
