package dev.weir.benchmarks.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Scripts without any client library: what Redis itself does. */
final class RawBenchmark {
    private final Server server;
    private final long millis;

    RawBenchmark(Server server, long millis) {
        this.server = server;
        this.millis = millis;
    }

    List<String> run(PrintStream progress) throws IOException {
        List<byte[]> weir;
        try (Contestant contestant = Contestants.weir(server.uri());
                Monitor monitor = new Monitor(server.port())) {
            contestant.check("raw");
            weir = monitor.next("evalsha");
        }
        List<byte[]> bare = Stream.of("EVALSHA", server.load(Contestants.BARE_SCRIPT), "1", "raw-bare", "1", "1000000")
                .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                .toList();
        List<String> found = new ArrayList<>();
        for (int pipeline : new int[] {1, 16}) {
            progress.println("without a client, " + pipeline + " under way on each connection");
            found.add(measured("the bare script", bare, pipeline));
            found.add(measured("Weir's script, one check a call as the store sends it", weir, pipeline));
        }
        return found;
    }

    private String measured(String what, List<byte[]> command, int pipeline) throws IOException {
        return String.format(
                Locale.ROOT,
                "Without a client, 64 connections with %d under way on each: %,.0f calls a second of %s",
                pipeline,
                new RawLoad(server.port(), command, pipeline).perSecond(millis, 2 * millis),
                what);
    }
}
