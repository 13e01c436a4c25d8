package dev.weir.example.saas;

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
        writeLauncher();
        String port = Integer.toString(Ports.reserve());
        Matcher commands = COMMANDS.matcher(Files.readString(Path.of("README.md")));
        assertThat(commands.find()).isTrue();
        String script = commands.group(1)
                .replace("example ai-saas ", "example ai-saas --port " + port + " ")
                .replace("8092", port);

        String said = run("set -m\n" + script + "\nwait\n");

        assertThat(said).contains("ai-saas is listening on http://127.0.0.1:" + port);
        assertThat(said).contains("\"ai_tokens\";r=9797", "data: something", "event: done\ndata: 9");
        assertThat(said).containsPattern("\"resource\":\"ai_tokens\"[^}]*\"limit\":10000,\"remaining\":9991");
        assertThat(said).contains("\"limit\":\"ai_tokens\"", "\"limit\":\"export\"", "id,text");
        assertThat(said).contains("membership.ai_token_budget_exhausted.v1");
        assertThat(said.split("HTTP/1.1 429", -1)).hasSize(3);
    }

    /** Replaces the launcher, which would build first. */
    private void writeLauncher() throws IOException {
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
}
