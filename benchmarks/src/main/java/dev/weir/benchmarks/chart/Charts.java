package dev.weir.benchmarks.chart;

import dev.weir.benchmarks.chart.BarChart.Bar;
import dev.weir.benchmarks.chart.BarChart.Kind;
import dev.weir.benchmarks.chart.BarChart.Panel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The charts of docs/benchmarks.md: which cases of which runs each of them shows. */
public final class Charts {
    private static final String NANOS = "cpuNanosPerOp";
    private static final String PER_SECOND = "opsPerSecond";
    private static final String LESS = "nanoseconds of CPU time per check; less is better";
    private static final String MORE = "decisions a second; more is better";

    private static final List<Row> HOT = List.of(
            weir("Weir, ticking clock", "weirTicking"),
            weir("Weir", "weirHandle"),
            weir("Weir, key as a string", "weirString"),
            bound("bare arithmetic (lower bound)", "bare"),
            peer("Bucket4j, synchronized", "bucket4jSynchronized"),
            peer("Failsafe", "failsafe"),
            peer("Guava", "guava"),
            peer("Resilience4j", "resilience4j"),
            peer("Bucket4j, lock-free", "bucket4j"));
    private static final List<Row> KEYS = List.of(
            weir("Weir", "weir"),
            bound("bare arithmetic (lower bound)", "openTable"),
            peer("Resilience4j registry", "registry"),
            peer("map of Bucket4j buckets", "mapOfBuckets"));
    private static final List<Row> HEAP = List.of(
            weir("Weir", "weir"),
            bound("open table of bare longs", "openTable"),
            peer("map of AtomicLongs", "mapOfLongs"),
            peer("map of Bucket4j buckets", "mapOfBuckets"),
            peer("Resilience4j registry", "registry"));
    private static final List<Row> REDIS = List.of(
            weir("Weir", "Weir"),
            weir("Weir, spin=true", "Weir, spin=true"),
            bound("one bare script per check", "bare GCRA script, one call per check"),
            peer("Bucket4j, batching", "Bucket4j on Lettuce, batching"),
            peer("Bucket4j", "Bucket4j on Lettuce"),
            peer("Redisson", "Redisson RRateLimiter"));
    private static final List<Row> POSTGRES = List.of(
            weir("Weir, callbacks", "weir, called back"),
            weir("Weir, threads", "weir"),
            bound("one bare UPSERT per check", "bare"),
            peer("Bucket4j, advisory locks", "bucket4j advisory"),
            peer("Bucket4j, select for update", "bucket4j select"));
    private static final List<Row> SQLITE = List.of(
            weir("Weir, callbacks", "weir, called back"),
            weir("Weir, threads", "weir"),
            bound("one bare UPSERT per check", "bare"));
    private static final List<Row> CLUSTER = List.of(
            weir("Weir, on the leader", "the leader/Weir's cluster store"),
            weir("Weir, on a follower", "a follower/Weir's cluster store"),
            peer("Bucket4j, on the owner", "the hot key's owner/Bucket4j on Infinispan, one backup"),
            peer("Bucket4j, on another node", "another node/Bucket4j on Infinispan, one backup"));

    private static final List<Definition> ALL = List.of(
            new Definition("hot-key", "One hot key, in memory", LESS, NANOS)
                    .panel("allowed, 1 thread", "hot/allowed/1/", HOT)
                    .panel("allowed, 2 threads", "hot/allowed/2/", HOT),
            new Definition("million-keys", "One million keys, in memory", LESS, NANOS)
                    .panel("keys at random, 1 thread", "keys/uniform/1/", KEYS)
                    .panel("keys at random, 2 threads", "keys/uniform/2/", KEYS),
            new Definition(
                            "heap",
                            "Heap per key, one million keys",
                            "bytes, besides the callers' strings; less is better",
                            "bytesPerKey")
                    .panel("", "heap/1m/", HEAP),
            new Definition("redis", "Redis, 64 callers in threads", MORE, PER_SECOND)
                    .panel("one hot key", "redis/hot/64/threads/", REDIS)
                    .panel("100,000 keys", "redis/keys/64/threads/", REDIS),
            new Definition("postgresql", "PostgreSQL with durable commits, 32 callers", MORE, PER_SECOND)
                    .panel("one hot key", "sql/pg/hot, 32/", POSTGRES)
                    .panel("10,000 keys", "sql/pg/10k, 32/", POSTGRES),
            new Definition("sqlite", "SQLite, 64 callers", MORE, PER_SECOND)
                    .panel("one hot key", "sql/sqlite/hot, 64/", SQLITE)
                    .panel("10,000 keys", "sql/sqlite/10k, 64/", SQLITE),
            new Definition("cluster", "Three nodes, 64 callers with callbacks", MORE, PER_SECOND)
                    .panel("one hot key", "cluster/hot/64, callbacks/", CLUSTER)
                    .panel("10,000 keys", "cluster/keys/64, callbacks/", CLUSTER));

    private Charts() {}

    /** A bar before it is measured: its label and the last part of its case's id. */
    private record Row(String label, Kind kind, String contestant) {}

    private static Row weir(String label, String contestant) {
        return new Row(label, Kind.WEIR, contestant);
    }

    private static Row peer(String label, String contestant) {
        return new Row(label, Kind.PEER, contestant);
    }

    private static Row bound(String label, String contestant) {
        return new Row(label, Kind.BOUND, contestant);
    }

    /** A chart before its cases are measured. Rows by the id of their case; panels by title. */
    private record Definition(
            String name, String title, String unit, String figure, Map<String, Map<String, Row>> panels) {
        Definition(String name, String title, String unit, String figure) {
            this(name, title, unit, figure, new LinkedHashMap<>());
        }

        Definition panel(String panelTitle, String cases, List<Row> rows) {
            Map<String, Row> byId = new LinkedHashMap<>();
            rows.forEach(row -> byId.put(cases + row.contestant, row));
            panels.put(panelTitle, byId);
            return this;
        }

        BarChart chart(ResultFiles results) {
            List<Panel> measured = new ArrayList<>();
            panels.forEach((panelTitle, rows) -> {
                List<Bar> bars = new ArrayList<>();
                rows.forEach((id, row) -> {
                    ResultFiles.MeasuredCase found = results.find(id);
                    if (found != null && !Double.isNaN(found.figure(figure))) {
                        bars.add(new Bar(row.label, row.kind, found.figure(figure), found.origin()));
                    }
                });
                if (!bars.isEmpty()) {
                    measured.add(new Panel(panelTitle, bars));
                }
            });
            return new BarChart(title, unit, measured);
        }
    }

    /** The charts of the results in a directory, by file name. Cases without a result are left out. */
    public static Map<String, String> of(Path directory) throws IOException {
        ResultFiles results = ResultFiles.in(directory);
        Map<String, String> charts = new LinkedHashMap<>();
        for (Definition definition : ALL) {
            BarChart chart = definition.chart(results);
            if (!chart.panels().isEmpty()) {
                charts.put(definition.name + ".svg", chart.svg());
            }
        }
        return charts;
    }

    /** The ids of the cases that charts show. */
    static List<String> cases() {
        List<String> ids = new ArrayList<>();
        ALL.forEach(definition -> definition.panels.values().forEach(rows -> ids.addAll(rows.keySet())));
        return ids;
    }

    /** Writes the charts beside the results, and returns their names. */
    public static List<String> write(Path directory) throws IOException {
        Map<String, String> charts = of(directory);
        for (Map.Entry<String, String> chart : charts.entrySet()) {
            Files.writeString(directory.resolve(chart.getKey()), chart.getValue());
        }
        return List.copyOf(charts.keySet());
    }
}
