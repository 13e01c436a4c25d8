package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Ports;
import dev.weir.fixture.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The steps of docs/getting-started.md, in their order and unchanged but for the ports. A block {@code sh terminal}
 * runs until the end; a block {@code LANGUAGE FILE} is a file to save.
 */
@Tag("io")
class GettingStartedTest {
    private static final Path GUIDE = JavaExample.ROOT.resolve("docs/getting-started.md");
    private static final Pattern BLOCK =
            Pattern.compile("^```(\\S+)(?: (\\S+))?\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path directory;

    private final List<Process> terminals = new ArrayList<>();
    private final StringBuilder output = new StringBuilder();
    /** The address of the Weir server, once it listens. */
    private String server = "http://127.0.0.1:8080";

    @Test
    void steps_leadToALimitedEndpointAndTheDashboard() throws Exception {
        writeLaunchers();
        try (RedisProcess redis = RedisProcess.start()) {
            String guide = Files.readString(GUIDE)
                    .replace("9000", "" + Ports.reserve())
                    .replace("redis://localhost:6379", redis.uri() + "?timeout=20s");
            Matcher block = BLOCK.matcher(guide);
            int steps = 0;
            for (; block.find(); steps++) {
                follow(block.group(1), block.group(2), block.group(3).replace("http://127.0.0.1:8080", server));
            }
            assertThat(steps).isGreaterThan(8);
            assertThat(output).contains("\"limit\":\"hello\"").contains("Hello, ben\n");
            assertThat(guide).contains("Open <http://127.0.0.1:8080/> in a browser");
            assertThat(dashboard()).contains("Loading the dashboard");
        } finally {
            terminals.forEach(Process::destroy);
            for (Process terminal : terminals) {
                assertThat(terminal.waitFor(90, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private void follow(String language, String file, String text) throws Exception {
        if (language.equals("sh") && file == null) {
            run(text);
        } else if (language.equals("sh")) {
            assertThat(file).isEqualTo("terminal");
            open(text);
        } else if (file != null) {
            Files.writeString(directory.resolve(file), text);
        } else {
            assertThat(language).isEqualTo("text");
            assertThat(output).as("what the guide shows").contains(text);
        }
    }

    private void run(String commands) throws Exception {
        Process process = shell("set -e\n" + commands.replace("curl -s", "curl -sS"));
        output.append(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(commands + output).isZero();
    }

    /** Starts what stays open and waits until it listens. Redis runs already, on another port. */
    private void open(String command) throws Exception {
        if (command.startsWith("redis-server")) {
            return;
        }
        Process process = shell("exec env " + command);
        terminals.add(process);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        assertThat(line).as(command).contains("listening on http://127.0.0.1:");
        if (line.startsWith("weir ")) {
            server = line.substring(line.indexOf("http"));
        }
    }

    private String dashboard() throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(server + "/")).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private Process shell(String commands) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("WEIR_PORT", "0");
        builder.environment().put("WEIR_SERVER", server);
        builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
        return builder.start();
    }

    /** {@code ./weir} on the classes under test, and {@code java} as the one that runs this test. */
    private void writeLaunchers() throws IOException {
        String java = "exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -XX:TieredStopAtLevel=1";
        write("java", java + " \"$@\"\n");
        write(
                "weir",
                java + " -cp '" + System.getProperty("java.class.path") + "' " + Main.class.getName() + " \"$@\"\n");
    }

    private void write(String name, String command) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + command);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
