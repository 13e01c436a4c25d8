package dev.weir.benchmarks.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Scripts under Redis's own load generator, where it is installed: what Redis does without any client library. */
final class RawBenchmark {
    private final Server server;
    private final int calls;

    RawBenchmark(Server server, int calls) {
        this.server = server;
        this.calls = calls;
    }

    List<String> run(PrintStream progress) throws IOException, InterruptedException {
        List<String> found = new ArrayList<>();
        Monitor.Call weir;
        try (Contestant contestant = Contestants.weir(server.uri());
                Monitor monitor = new Monitor(server.port())) {
            contestant.check("raw");
            weir = monitor.next("evalsha");
        }
        List<String> bare = List.of("EVALSHA", server.load(Contestants.BARE_SCRIPT), "1", "raw-bare", "1");
        for (String pipeline : List.of("1", "16")) {
            progress.println("redis-benchmark, pipeline of " + pipeline);
            try {
                tell(
                        found,
                        "the bare script",
                        pipeline,
                        measured(pipeline, bare, "1000000".getBytes(StandardCharsets.US_ASCII)));
                tell(
                        found,
                        "Weir's script, one check a call as the store sends it",
                        pipeline,
                        measured(pipeline, weir.beginning(), weir.last()));
            } catch (IllegalStateException e) {
                found.add("redis-benchmark was not measured with a pipeline of " + pipeline + ": " + e.getMessage());
            } catch (IOException e) {
                return List.of(
                        "redis-benchmark was not measured: it is not installed (Debian: apt install redis-tools)");
            }
        }
        return found;
    }

    private static void tell(List<String> found, String what, String pipeline, double perSecond) {
        found.add(String.format(
                Locale.ROOT,
                "redis-benchmark of %s, 64 connections, pipeline of %s: %,.0f ops/s",
                what,
                pipeline,
                perSecond));
    }

    /** @param last the last argument, which may hold any byte and is therefore not on the command line */
    private double measured(String pipeline, List<String> beginning, byte[] last)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "redis-benchmark",
                "-p",
                "" + server.port(),
                "-c",
                "64",
                "-n",
                "" + calls,
                "-P",
                pipeline,
                "--csv",
                "-x"));
        command.addAll(beginning);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var in = process.getOutputStream()) {
            in.write(last);
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(60, TimeUnit.SECONDS);
        // The first field of the last line is the command, which may hold anything; the figures follow.
        Matcher figure = Pattern.compile("\",\"([0-9.]+)\"").matcher(out.lines().reduce("", (a, b) -> b));
        if (!figure.find()) {
            throw new IllegalStateException(out.lines().findFirst().orElse("it said nothing"));
        }
        return Double.parseDouble(figure.group(1));
    }
}
