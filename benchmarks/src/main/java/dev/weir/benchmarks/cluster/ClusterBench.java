package dev.weir.benchmarks.cluster;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.load.Run;
import dev.weir.benchmarks.load.StoreResults;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.benchmarks.measure.Table;
import java.io.IOException;
import java.util.List;

/** Measures one node of three under load, on the leader and on another node, and judges the bars. */
public final class ClusterBench {
    private static final String WEIR = "Weir's cluster store";
    private static final String BUCKET4J = "Bucket4j on Infinispan, one backup";
    private static final boolean[] BOTH = {true, false};
    private static final int MOST_ATTEMPTS = 10;

    private final Run run;
    private final int warmMillis;
    private final int measureMillis;
    private final Figures<Case> figures = new Figures<>();

    /** @param leads whether the load runs on the node that makes the hot key's decisions */
    private record Case(String name, boolean hot, int callers, boolean callbacks, boolean leads) {

        String line(long warm, long measure) {
            return "load " + (hot ? "hot " : "many ") + callers + (callbacks ? " callbacks " : " threads ") + warm + " "
                    + measure;
        }

        String place() {
            return name.equals(WEIR)
                    ? leads ? "the leader" : "a follower"
                    : leads ? "the hot key's owner" : "another node";
        }

        /** The id in result files: {@code cluster/hot/64, callbacks/the leader/Weir's cluster store}. */
        String id() {
            return "cluster/" + (hot ? "hot/" : "keys/") + callersLabel() + "/" + place() + "/" + name;
        }

        String callersLabel() {
            return callers + (callers == 1 ? "" : callbacks ? ", callbacks" : ", threads");
        }
    }

    public ClusterBench(Run run) {
        this.run = run;
        this.warmMillis = run.effort().choose(1_500, 500, 5);
        this.measureMillis = run.effort().choose(2_000, 500, 10);
    }

    /** Measures every case. */
    public StoreResults run() throws IOException, InterruptedException {
        for (int round = 0; round < run.rounds(); round++) {
            measure(WEIR, Contestants.WEIR);
            measure(BUCKET4J, Contestants.BUCKET4J);
        }
        return StoreResults.of(page(), figures, Case::id);
    }

    private void measure(String name, String contestant) throws IOException, InterruptedException {
        try (Nodes nodes = Nodes.start(contestant)) {
            for (boolean leads : BOTH) {
                // Warms up the JIT compiler for the cases below.
                for (boolean callbacks : BOTH) {
                    measured(nodes, new Case(name, false, 64, callbacks, leads), warmMillis);
                }
                for (boolean hot : BOTH) {
                    for (Case one : List.of(
                            new Case(name, hot, 1, false, leads),
                            new Case(name, hot, 64, false, leads),
                            new Case(name, hot, 64, true, leads))) {
                        Load.Result result = measured(nodes, one, measureMillis);
                        run.progress().println("  " + one + " " + result);
                        figures.add(one, result);
                    }
                }
            }
        }
    }

    /** Measures again if the leader has changed meanwhile, because the figure would belong to another case. */
    private Load.Result measured(Nodes nodes, Case one, long millis) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            int leader = nodes.leader();
            int node = one.leads ? leader : (leader + 1) % Nodes.SIZE;
            Load.Result result = Load.Result.parse(nodes.ask(node, one.line(warmMillis, millis)));
            if (nodes.leads(leader)) {
                return result;
            }
        }
        throw MeasurementFailedException.wrongAnswer(one.toString(), "one leader", "another after each measurement");
    }

    private String page() {
        Table bars = new Table("Cluster: bars", 1, List.of("bar", "measured", "required", "verdict"));
        StringBuilder page = new StringBuilder();
        for (boolean hot : BOTH) {
            page.append(table(hot).markdown()).append('\n');
            String what = (hot ? "hot key" : "10,000 keys") + ", 64 callers by callbacks: Weir ";
            double both = (ops(WEIR, hot, true) + ops(WEIR, hot, false))
                    / (ops(BUCKET4J, hot, true) + ops(BUCKET4J, hot, false));
            atLeast(bars, what + "/ Bucket4j on Infinispan, the mean of both nodes", both, 2);
            double follower = ops(WEIR, hot, false) / ops(WEIR, hot, true);
            atLeast(bars, what + "on a follower / on the leader", follower, 0.5);
        }
        for (boolean leads : BOTH) {
            Case alone = new Case(WEIR, true, 1, false, leads);
            double micros = figures.median(alone, Load.Result::p50);
            String verdict = micros < 1_000 ? "met" : "NOT MET";
            bars.add(List.of(
                    "one caller's p50 on " + alone.place(), number("%.0f µs", micros), "under 1,000 µs", verdict));
        }
        return page.append(bars.markdown()).toString();
    }

    private Table table(boolean hot) {
        List<String> header = List.of("", "asked on", "callers", "ops/s", "p50 µs", "p99 µs");
        Table table = new Table("Cluster: " + (hot ? "one hot key" : "10,000 keys"), 2, header);
        figures.places().stream()
                .filter(one -> one.hot == hot)
                .forEach(one -> table.add(List.of(
                        one.name,
                        one.place(),
                        one.callersLabel(),
                        number("%,.0f", figures.median(one, Load.Result::perSecond)),
                        number("%,.0f", figures.median(one, Load.Result::p50)),
                        number("%,.0f", figures.median(one, Load.Result::p99)))));
        return table;
    }

    private double ops(String name, boolean hot, boolean leads) {
        return figures.median(new Case(name, hot, 64, true, leads), Load.Result::perSecond);
    }

    private static void atLeast(Table bars, String what, double ratio, double least) {
        String verdict = ratio >= least ? "met" : "NOT MET";
        bars.add(List.of(what, number("%.2f ×", ratio), "at least " + least + " ×", verdict));
    }
}
