package dev.weir.benchmarks.cluster;

import dev.weir.benchmarks.Effort;
import dev.weir.benchmarks.MeasurementFailedException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures one node of three under load, where decisions are made and elsewhere, and tells which bars are met. */
public final class ClusterBench {
    private static final String WEIR = "Weir's cluster store";
    private static final String BUCKET4J = "Bucket4j on Infinispan, one backup";

    private static final int MOST_ATTEMPTS = 10;

    private final PrintStream progress;
    private final int rounds;
    private final long warmMillis;
    private final long measureMillis;
    /** The best round of each; the first is thrown away, as it compiles. */
    private final Map<Case, Load.Result> results = new LinkedHashMap<>();

    /** @param leads whether it is asked where the hot key's decisions are made */
    private record Case(String name, boolean hot, int callers, boolean callbacks, boolean leads) {

        String line(long warm, long measure) {
            return "load " + (hot ? "hot " : "many ") + callers + (callbacks ? " callbacks " : " threads ") + warm + " "
                    + measure;
        }
    }

    public ClusterBench(PrintStream progress, Effort effort, int rounds) {
        this.progress = progress;
        this.rounds = effort == Effort.FULL ? rounds : 1;
        this.warmMillis = effort == Effort.FULL ? 1_500 : effort == Effort.QUICK ? 500 : 5;
        this.measureMillis = effort == Effort.FULL ? 2_000 : effort == Effort.QUICK ? 500 : 10;
    }

    /** The page about a run. */
    public String run() throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++) {
            measure(WEIR, Contestants.WEIR);
            measure(BUCKET4J, Contestants.BUCKET4J);
        }
        return page();
    }

    private void measure(String name, String contestant) throws IOException, InterruptedException {
        try (Nodes nodes = Nodes.start(contestant)) {
            for (boolean leads : new boolean[] {true, false}) {
                // Compiles what is measured below.
                for (boolean callbacks : new boolean[] {false, true}) {
                    measured(nodes, new Case(name, false, 64, callbacks, leads), warmMillis);
                }
                for (Case one : cases(name, leads)) {
                    Load.Result result = measured(nodes, one, measureMillis);
                    progress.println("  " + row(one, result).strip());
                    results.merge(one, result, (a, b) -> a.opsPerSecond() >= b.opsPerSecond() ? a : b);
                }
            }
        }
    }

    private static List<Case> cases(String name, boolean leads) {
        List<Case> cases = new ArrayList<>();
        for (boolean hot : new boolean[] {true, false}) {
            cases.add(new Case(name, hot, 1, false, leads));
            cases.add(new Case(name, hot, 64, false, leads));
            cases.add(new Case(name, hot, 64, true, leads));
        }
        return cases;
    }

    /** Measures again when the leader has changed meanwhile, as the figure would be that of another case. */
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
        StringBuilder page = new StringBuilder();
        for (boolean hot : new boolean[] {true, false}) {
            page.append("### Cluster: ")
                    .append(hot ? "one hot key" : "10,000 keys")
                    .append("\n\n");
            page.append("| | asked on | callers | ops/s | p50 µs | p99 µs |\n");
            page.append("| --- | --- | ---: | ---: | ---: | ---: |\n");
            results.forEach((one, result) -> {
                if (one.hot == hot) {
                    page.append(row(one, result));
                }
            });
            page.append('\n');
        }
        page.append("### Cluster: bars\n\n| bar | measured | required | verdict |\n| --- | ---: | ---: | --- |\n");
        for (boolean hot : new boolean[] {true, false}) {
            String keys = hot ? "hot key" : "10,000 keys";
            bar(
                    page,
                    keys + ", 64 callers by callbacks: Weir / Bucket4j on Infinispan, the mean of both nodes",
                    both(WEIR, hot) / both(BUCKET4J, hot),
                    2);
            bar(
                    page,
                    keys + ", 64 callers by callbacks: Weir on a follower / on the leader",
                    ops(WEIR, hot, false) / ops(WEIR, hot, true),
                    0.5);
        }
        for (boolean leads : new boolean[] {true, false}) {
            Load.Result alone = results.get(new Case(WEIR, true, 1, false, leads));
            double micros = alone == null ? Double.NaN : alone.p50();
            page.append(String.format(
                    Locale.ROOT,
                    "| one caller's p50 on %s | %.0f µs | under 1,000 µs | %s |\n",
                    leads ? "the leader" : "a follower",
                    micros,
                    micros < 1_000 ? "met" : "NOT MET"));
        }
        return page.toString();
    }

    private static String row(Case one, Load.Result result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %d%s | %,.0f | %,.0f | %,.0f |\n",
                one.name,
                place(one),
                one.callers,
                one.callers == 1 ? "" : one.callbacks ? ", callbacks" : ", threads",
                result.opsPerSecond(),
                result.p50(),
                result.p99());
    }

    private static String place(Case one) {
        return one.name.equals(WEIR)
                ? one.leads ? "the leader" : "a follower"
                : one.leads ? "the hot key's owner" : "another node";
    }

    private double both(String name, boolean hot) {
        return (ops(name, hot, true) + ops(name, hot, false)) / 2;
    }

    private double ops(String name, boolean hot, boolean leads) {
        Load.Result result = results.get(new Case(name, hot, 64, true, leads));
        return result == null ? Double.NaN : result.opsPerSecond();
    }

    private static void bar(StringBuilder page, String what, double ratio, double least) {
        page.append(String.format(
                Locale.ROOT,
                "| %s | %.2f × | at least %.1f × | %s |\n",
                what,
                ratio,
                least,
                Double.isNaN(ratio) ? "not measured" : ratio >= least ? "met" : "NOT MET"));
    }
}
