package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the README run, and print what it shows. */
@Tag("io")
class ReadmeTest {
    private static final Pattern COMMANDS = Pattern.compile("^```sh\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path directory;

    @Test
    void commands_showWhatThePageSays() throws Exception {
        assertThat(runs("curl", "--version"))
                .as("curl is installed; ./weir test does that")
                .isTrue();
        launcher();
        String port = Integer.toString(Ports.reserve());
        Matcher commands = COMMANDS.matcher(Files.readString(Path.of("README.md")));
        assertThat(commands.find()).isTrue();
        String script = commands.group(1)
                .replace("agent-hub &", "agent-hub --port " + port + " &")
                .replace("8090", port);

        String said = run("set -m\n" + script + "\nwait\n");

        assertThat(said).contains("agent-hub is listening on http://127.0.0.1:" + port, "{\"ok\":true}");
        assertThat(said).contains("{\"type\":\"identified\",\"agent\":\"ann\"}", "{\"type\":\"pong\"}");
        assertThat(said).contains("\"throttled\":false", "{\"type\":\"agents\",\"agents\":[\"ann\"]}");
        assertThat(said).contains("HTTP/1.1 202 Accepted").containsIgnoringCase("X-RateLimit-Remaining: 9\r\n");
        assertThat(said).contains("\"text\":\"count the stars\",\"submitter\":\"bob\"", "{\"type\":\"task_assign\"");
        assertThat(said).contains("\"state\":\"done\",\"assignee\":\"ann\"", "\"note\":\"very many\"");
        assertThat(said).contains(" {\"type\":\"rate_limited\"", " 1 {\"type\":\"rate_limit_warning");
        assertThat(said).contains("202\n".repeat(10) + "429\n");
    }

    /** Replaces the launcher, which would build first. */
    private void launcher() throws IOException {
        Path launcher = directory.resolve("weir");
        Files.writeString(
                launcher,
                "#!/bin/sh\nshift 2\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                        + System.getProperty("java.class.path") + "' " + Main.class.getName() + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private String run(String script) throws IOException, InterruptedException {
        Path said = directory.resolve("said");
        Process bash = new ProcessBuilder("bash", "-c", script)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(bash.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            bash.descendants().forEach(ProcessHandle::destroyForcibly);
            bash.destroyForcibly();
        }
        return Files.readString(said);
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
