package dev.weir.benchmarks.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A finished run of a benchmark script: {@code benchmarks/http/run} or {@code benchmarks/spring/run}. */
record ScriptRun(int exitCode, String output) {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** The shortest run: a round of a second for each contestant, warmed up for a second. */
    static ScriptRun shortest(String benchmark) throws IOException, InterruptedException {
        return in(ROOT, benchmark);
    }

    /** The same on a copy of the scripts, with one text in one file replaced. */
    static ScriptRun shortestWith(Path copy, String benchmark, String file, String text, String replacement)
            throws IOException, InterruptedException {
        copy(ROOT.resolve("benchmarks/wrk"), copy.resolve("benchmarks/wrk"));
        copy(
                ROOT.resolve("benchmarks").resolve(benchmark),
                copy.resolve("benchmarks").resolve(benchmark));
        String jar = benchmark.equals("http") ? "cli/target/weir.jar" : "examples/ai-saas/target/ai-saas.jar";
        Files.createDirectories(copy.resolve(jar).getParent());
        Files.copy(ROOT.resolve(jar), copy.resolve(jar));
        Path changed = copy.resolve("benchmarks").resolve(benchmark).resolve(file);
        String before = Files.readString(changed);
        if (!before.contains(text)) {
            throw new IllegalArgumentException(file + " has no '" + text + "' to be replaced");
        }
        Files.writeString(changed, before.replace(text, replacement));
        return in(copy, benchmark);
    }

    private static ScriptRun in(Path root, String benchmark) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(root.resolve("benchmarks/" + benchmark + "/run").toString(), "1", "1", "1"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ScriptRun(process.waitFor(), output);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName().toString()));
            }
        }
    }
}
