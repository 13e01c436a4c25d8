package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
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

/** Runs the shell examples of the guide to the server unchanged: the first starts a server, the others call it. */
@Tag("io")
class ShellExamplesTest {
    private static final Path GUIDE = Path.of("../docs/server.md");
    private static final Pattern BLOCK = Pattern.compile("^```sh\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final String ADDRESS = "http://127.0.0.1:8080";

    @TempDir
    Path directory;

    @Test
    void guideToTheServer_works() throws Exception {
        List<String> blocks = blocks();
        assertThat(blocks).hasSizeGreaterThanOrEqualTo(3);
        assertThat(blocks.get(0)).startsWith("WEIR_ADMIN_TOKEN=a-long-secret ./weir serve ");
        writeLauncher();
        // Other tests may have the default port of gRPC.
        Process server = shell("exec env WEIR_GRPC_PORT=0 " + blocks.get(0), "WEIR_PORT", "0");
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            String line = out.readLine();
            assertThat(line).startsWith("weir is listening on http://127.0.0.1:");
            String address = line.substring(line.indexOf("http"));
            for (String block : blocks.subList(1, blocks.size())) {
                String commands = block.replace(ADDRESS, address).replace("curl -s", "curl -sS --fail-with-body");
                Process example = shell("set -e\n" + commands, "WEIR_SERVER", address);
                String said = new String(example.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(example.waitFor(90, TimeUnit.SECONDS)).isTrue();
                assertThat(example.exitValue()).as(block + said).isZero();
                assertThat(said).isNotBlank();
            }
        } finally {
            server.destroy();
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static List<String> blocks() throws Exception {
        List<String> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(Files.readString(GUIDE));
        while (matcher.find()) {
            blocks.add(matcher.group(1));
        }
        return blocks;
    }

    /** ./weir as the launcher would run it, on the classes under test. */
    private void writeLauncher() throws Exception {
        Path launcher = directory.resolve("weir");
        Files.writeString(
                launcher,
                "#!/bin/sh\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                        + ServeCommandTest.classPath() + "' " + Main.class.getName() + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private Process shell(String commands, String variable, String value) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put(variable, value);
        return builder.start();
    }
}
