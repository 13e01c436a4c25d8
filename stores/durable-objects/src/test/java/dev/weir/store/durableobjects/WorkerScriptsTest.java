package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the worker's own tests that need no runtime in Node. One compares its results with those of the Redis script on
 * a real Redis, byte by byte.
 */
@Tag("io")
class WorkerScriptsTest {
    @TempDir
    Path directory;

    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void testsOfTheWorker_pass() throws Exception {
        List<String> command = new ArrayList<>(List.of("node", "--test", "--test-reporter=tap"));
        command.addAll(files());
        ProcessBuilder tests = new ProcessBuilder(command)
                .directory(Path.of("worker").toFile())
                .redirectErrorStream(true);
        tests.environment().put("WEIR_REDIS_SERVER", redis().toString());
        tests.environment().put("WEIR_HISTORIES", System.getProperty("weir.durable-objects.histories", "40"));
        tests.environment().put("TMPDIR", directory.toString());
        Process process = tests.start();
        String said = said(process);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("# fail 0").contains("# skipped 0").doesNotContain("# pass 0\n");
    }

    /** In the runtime the store's tests have it: those files are for who works on the worker. */
    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("worker/test"))) {
            return files.map(file -> "test/" + file.getFileName())
                    .filter(name -> name.endsWith(".test.js"))
                    .filter(name -> !name.startsWith("test/runtime") && !name.startsWith("test/settings"))
                    .sorted()
                    .toList();
        }
    }

    private Path redis() throws IOException {
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String name = "/redis-server-7.0.15-" + system + (machine.equals("aarch64") ? "-arm64" : "-amd64");
        Path file = directory.resolve("redis-server");
        try (InputStream in = redis.embedded.RedisServer.class.getResourceAsStream(name)) {
            Files.copy(in, file);
        }
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private static String said(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
