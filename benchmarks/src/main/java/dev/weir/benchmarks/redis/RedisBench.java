package dev.weir.benchmarks.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Measures every contestant in turn on one Redis, and tells which bars are met. */
public final class RedisBench {
    private static final int[] CALLERS = {1, 16, 64};
    private static final String[] HOT = {"hot"};
    private static final String[] MANY =
            IntStream.range(0, 100_000).mapToObj(i -> "user" + i).toArray(String[]::new);

    private final PrintStream progress;
    private final long warmMillis;
    private final long measureMillis;
    private final Map<String, Load.Result> results = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    public RedisBench(PrintStream progress, boolean quick) {
        this.progress = progress;
        this.warmMillis = quick ? 300 : 1_200;
        this.measureMillis = quick ? 500 : 2_000;
    }

    /** The page about a run. */
    public String run() throws IOException, InterruptedException {
        try (Server server = new Server()) {
            for (boolean many : new boolean[] {false, true}) {
                for (int callers : CALLERS) {
                    measure(server, many, callers);
                }
            }
            limits(server);
            memory(server);
            rawBenchmark(server);
        }
        return page();
    }

    private void measure(Server server, boolean many, int callers) throws InterruptedException {
        both(server, Contestants.BARE, Contestants::bare, many, callers);
        both(server, Contestants.WEIR, uri -> Contestants.weir(uri, 1), many, callers);
        one(server, Contestants.BUCKET4J, uri -> Contestants.bucket4j(uri, false), many, callers, false);
        one(server, Contestants.BATCHING, uri -> Contestants.bucket4j(uri, true), many, callers, false);
        one(server, Contestants.REDISSON, Contestants::redisson, many, callers, false);
    }

    private void both(Server server, String name, Function<String, Contestant> make, boolean many, int callers)
            throws InterruptedException {
        one(server, name, make, many, callers, false);
        one(server, name, make, many, callers, true);
    }

    private void one(
            Server server, String name, Function<String, Contestant> make, boolean many, int callers, boolean callbacks)
            throws InterruptedException {
        String id = id(name, many, callers, callbacks);
        progress.println(id);
        server.flush();
        try (Contestant contestant = make.apply(server.uri())) {
            results.put(
                    id,
                    new Load(contestant, many ? MANY : HOT, callers, callbacks).run(server, warmMillis, measureMillis));
        } catch (RuntimeException e) {
            notes.add(id + " was not measured: " + e);
        }
    }

    private void limits(Server server) throws InterruptedException {
        for (int callers : new int[] {1, 16}) {
            for (int limits : new int[] {1, 4}) {
                String id = limits + " limits, " + callers + " callers";
                progress.println(id);
                server.flush();
                try (Contestant contestant = Contestants.weir(server.uri(), limits)) {
                    results.put(
                            id,
                            new Load(contestant, MANY, callers, callers > 1).run(server, warmMillis, measureMillis));
                }
            }
        }
    }

    private void memory(Server server) {
        server.flush();
        try (Contestant contestant = Contestants.weir(server.uri(), 1)) {
            contestant.check("someone");
        }
        String key = server.keys("*someone").get(0);
        // What Redis allots to a key's text: its length, a header of 2 or 3 bytes, an end, in steps of 8 up to 32, then
        // 16.
        long bytes = server.memoryUsage(key);
        notes.add(String.format(
                Locale.ROOT,
                "Memory: MEMORY USAGE of a token bucket's key is %d B, of which its name of %d characters takes about %d B"
                        + " and the rest %d B.",
                bytes,
                key.length(),
                allotted(key.length()),
                bytes - allotted(key.length())));
    }

    private static long allotted(int length) {
        int needed = length + 1 + (length < 32 ? 1 : 3);
        int step = needed <= 32 ? 8 : needed <= 128 ? 16 : 32;
        return (needed + step - 1L) / step * step;
    }

    /** The bare script by Redis's own load generator, where it is installed. */
    private void rawBenchmark(Server server) throws InterruptedException {
        String script = Contestants.Bare.SCRIPT.replace("\n", " ");
        for (String pipeline : List.of("1", "16")) {
            progress.println("redis-benchmark, pipeline of " + pipeline);
            try {
                Process process = new ProcessBuilder(
                                "redis-benchmark",
                                "-p",
                                "" + server.port(),
                                "-c",
                                "64",
                                "-n",
                                "200000",
                                "-P",
                                pipeline,
                                "--csv",
                                "EVAL",
                                script,
                                "1",
                                "raw",
                                "1",
                                "1000000")
                        .redirectErrorStream(true)
                        .start();
                String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                process.waitFor(60, TimeUnit.SECONDS);
                String last = out.lines().reduce("", (a, b) -> b);
                notes.add("redis-benchmark of the bare script, 64 connections, pipeline of " + pipeline + ": "
                        + String.format(Locale.ROOT, "%,.0f ops/s", rps(last)));
            } catch (IOException e) {
                notes.add("redis-benchmark was not measured: it is not installed (Debian: apt install redis-tools)");
                return;
            }
        }
    }

    /** The second field of a line of comma-separated values; the first may hold commas. */
    private static double rps(String line) {
        Matcher number = Pattern.compile("\",\"([0-9.]+)\"").matcher(line);
        return number.find() ? Double.parseDouble(number.group(1)) : 0;
    }

    private static String id(String name, boolean many, int callers, boolean callbacks) {
        return name + (callbacks ? ", callbacks" : ", threads") + ", " + (many ? "100,000 keys" : "hot key") + ", "
                + callers + " callers";
    }

    private String page() {
        StringBuilder page = new StringBuilder();
        for (boolean many : new boolean[] {false, true}) {
            page.append("### Redis: ")
                    .append(many ? "100,000 keys" : "one hot key")
                    .append("\n\n");
            page.append("| | callers | ops/s | p50 µs | p99 µs | Redis CPU µs per check | calls per check |\n");
            page.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
            results.forEach((id, result) -> {
                if (id.contains(many ? ", 100,000 keys, " : ", hot key, ")) {
                    String name = id.replaceAll(", (hot key|100,000 keys), .*", "");
                    page.append(row(name, id.replaceAll(".*, (\\d+) callers", "$1"), result));
                }
            });
            page.append('\n');
        }
        page.append("### Redis: several limits in one decision, 100,000 keys\n\n");
        page.append("| | callers | ops/s | p50 µs | p99 µs | Redis CPU µs per decision | calls per decision |\n");
        page.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        results.forEach((id, result) -> {
            if (id.contains(" limits, ")) {
                page.append(row(
                        id.replaceAll(" limits.*", "") + " limit(s)",
                        id.replaceAll(".*, (\\d+) callers", "$1"),
                        result));
            }
        });
        page.append('\n');
        notes.forEach(note -> page.append("- ").append(note).append('\n'));
        page.append("\n### Redis: bars\n\n| bar | measured | required | verdict |\n| --- | ---: | ---: | --- |\n");
        page.append(bars());
        return page.toString();
    }

    private static String row(String name, String callers, Load.Result result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,.0f | %,.0f | %,.0f | %.2f | %.3f |\n",
                name,
                callers,
                result.opsPerSecond(),
                result.p50(),
                result.p99(),
                result.cpuMicros(),
                result.commands());
    }

    private String bars() {
        StringBuilder text = new StringBuilder();
        BiFunction<String, Boolean, Double> best =
                (name, many) -> Math.max(ops(id(name, many, 64, false)), ops(id(name, many, 64, true)));
        ratio(
                text,
                "hot key, 64 callers: Weir / bare script per call (the better of threads and callbacks)",
                best.apply(Contestants.WEIR, false) / best.apply(Contestants.BARE, false),
                4,
                true);
        ratio(
                text,
                "hot key, 64 callers: Weir / Bucket4j with batching",
                best.apply(Contestants.WEIR, false) / best.apply(Contestants.BATCHING, false),
                3,
                true);
        ratio(
                text,
                "100,000 keys, 64 callers: Weir / bare script with callbacks",
                best.apply(Contestants.WEIR, true) / ops(id(Contestants.BARE, true, 64, true)),
                1.2,
                true);
        ratio(
                text,
                "100,000 keys, 64 callers: Weir / best Bucket4j",
                best.apply(Contestants.WEIR, true)
                        / Math.max(best.apply(Contestants.BATCHING, true), best.apply(Contestants.BUCKET4J, true)),
                3,
                true);
        ratio(
                text,
                "hot key, 1 caller: p50 of Weir / of the bare script",
                p50(id(Contestants.WEIR, false, 1, false)) / p50(id(Contestants.BARE, false, 1, false)),
                1.1,
                false);
        ratio(
                text,
                "Redis CPU of four limits / of one, 1 caller",
                cpu("4 limits, 1 callers") / cpu("1 limits, 1 callers"),
                2,
                false);
        ratio(
                text,
                "Redis CPU of four limits / of one, 16 callers",
                cpu("4 limits, 16 callers") / cpu("1 limits, 16 callers"),
                2,
                false);
        return text.toString();
    }

    private static void ratio(StringBuilder text, String what, double ratio, double bar, boolean atLeast) {
        boolean met = atLeast ? ratio >= bar : ratio <= bar;
        text.append(String.format(
                Locale.ROOT,
                "| %s | %.2f × | at %s %.1f × | %s |\n",
                what,
                ratio,
                atLeast ? "least" : "most",
                bar,
                Double.isNaN(ratio) || Double.isInfinite(ratio) ? "not measured" : met ? "met" : "NOT MET"));
    }

    private double ops(String id) {
        Load.@Nullable Result result = results.get(id);
        return result == null ? 0 : result.opsPerSecond();
    }

    private double p50(String id) {
        Load.@Nullable Result result = results.get(id);
        return result == null ? Double.NaN : result.p50();
    }

    private double cpu(String id) {
        Load.@Nullable Result result = results.get(id);
        return result == null ? Double.NaN : result.cpuMicros();
    }
}
