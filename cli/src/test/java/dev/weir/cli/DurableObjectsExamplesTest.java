package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Readiness;
import dev.weir.fixture.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shell examples of the guide to the Durable Objects store unchanged: a worker, a server on it, a check. */
@Tag("io")
class DurableObjectsExamplesTest {
    private static final Path GUIDE = Path.of("../docs/durable-objects.md");
    private static final Pattern BLOCK = Pattern.compile("^```sh\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path directory;

    @Test
    void guideToDurableObjects_works() throws Exception {
        List<String> blocks = BLOCK.matcher(Files.readString(GUIDE))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(blocks).hasSize(3);
        writeLauncher();
        Files.createSymbolicLink(
                directory.resolve("stores"),
                Path.of("../stores").toAbsolutePath().normalize());
        try (ServerProcess worker = ServerProcess.start(
                "worker",
                (at, unused) -> builder(
                        blocks.get(0).replace("8787", Integer.toString(at)).replace("stores/", "exec stores/")),
                Readiness.answers("GET / HTTP/1.0\r\n\r\n", line -> line.startsWith("HTTP/")))) {
            String port = Integer.toString(worker.port());
            Process server = shell("exec " + blocks.get(1).replace("8787", port));
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
                String line = out.readLine();
                assertThat(line).startsWith("weir is listening on http://127.0.0.1:");
                String address = line.substring(line.indexOf("http"));
                Process check = shell(blocks.get(2)
                        .replace("http://127.0.0.1:8080", address)
                        .replace("curl -s", "curl -sS --fail-with-body"));
                String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(check.waitFor()).as(said).isZero();
                assertThat(said).contains("\"allowed\":true", "\"remaining\":199");
            } finally {
                server.destroy();
                assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
            }
            Process refused =
                    shell("exec " + blocks.get(1).replace("8787", port).replace("a-long-secret", "wrong"));
            String said = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(refused.waitFor()).as(said).isEqualTo(2);
            assertThat(said).contains("rejected the token", "WEIR_TOKEN");
        }
    }

    /** ./weir as the launcher would run it, on the classes under test. */
    private void writeLauncher() throws IOException {
        Path launcher = directory.resolve("weir");
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                        + ServeCommandTest.classPath() + "' " + Main.class.getName() + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private Process shell(String commands) throws IOException {
        return builder(commands).start();
    }

    private ProcessBuilder builder(String commands) {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("WEIR_PORT", "0");
        builder.environment().put("WEIR_GRPC_PORT", "0");
        return builder;
    }
}
