package dev.weir.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A finished run of the benchmarks' command line: the exit code and output of {@code ./weir bench}. */
public record CheckRun(int exitCode, String output) {
    /** Runs the shortest form of the cases whose id contains this text. */
    public static CheckRun of(String only) throws Exception {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
        int code = new Main(stream, stream).run(List.of("--check", "--only", only));
        return new CheckRun(code, output.toString(StandardCharsets.UTF_8));
    }
}
