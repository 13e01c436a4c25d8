package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.load.Contestant;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Measures scripts without any client library: the throughput of Redis itself. */
final class RawBenchmark {
    /** The bare script returns an array whose first element is 1. */
    static final RawLoad.ReplyCheck BARE_ADMITS =
            (reply, begin) -> reply.get(begin) == '*' && reply.get(begin + 4) == ':' && reply.get(begin + 5) == '1';

    /**
     * Weir's script returns a string: 14 bytes about the call, then 1 and a reading, which begins with 0 if admitted.
     * For a run of checks it returns 9, a number of 7 bytes, and how many were admitted.
     */
    private static final RawLoad.ReplyCheck WEIR_ADMITS = (reply, begin) -> {
        int answer = begin + "$37\r\n".length() + 14;
        return reply.get(begin) == '$'
                && (reply.get(answer) == 1
                        ? reply.get(answer + 1) == 0
                        : reply.get(answer) == 9 && reply.getShort(answer + 8) == 1);
    };

    private final Server server;
    private final long millis;

    RawBenchmark(Server server, long millis) {
        this.server = server;
        this.millis = millis;
    }

    List<String> run(PrintStream progress) throws IOException {
        List<byte[]> weir;
        try (Contestant contestant = Contestants.weir(Contestants.WEIR, server, "", 1)) {
            weir = server.lastScriptCall("raw", () -> {
                boolean unused = contestant.check().test("raw");
            });
        }
        List<byte[]> bare = Stream.of(
                        "EVALSHA", server.redis().scriptLoad(Contestants.BARE_SCRIPT), "1", "raw-bare", "1", "1000000")
                .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                .toList();
        List<String> found = new ArrayList<>();
        for (int pipeline : new int[] {1, 16}) {
            progress.println("without a client, " + pipeline + " under way on each connection");
            found.add(measured("the bare script", bare, BARE_ADMITS, pipeline));
            found.add(measured("Weir's script, one check a call as the store sends it", weir, WEIR_ADMITS, pipeline));
        }
        return found;
    }

    private String measured(String what, List<byte[]> command, RawLoad.ReplyCheck admits, int pipeline)
            throws IOException {
        return String.format(
                Locale.ROOT,
                "Without a client, 64 connections with %d under way on each: %,.0f calls a second of %s",
                pipeline,
                new RawLoad(server.port(), command, admits, pipeline).perSecond(millis, 2 * millis),
                what);
    }
}
