package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.ClassPath;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("io")
class MainTest {
    @TempDir
    Path directory;

    private record Ended(int code, String said) {}

    private Ended run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                // Without SLF4J, which the test libraries include and which prints a warning if it has no provider.
                ClassPath.without("slf4j").toString(),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile(directory, "said", "");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(said));
    }

    @Test
    void help_isGiven() throws Exception {
        Ended ended = run("--help");
        assertThat(ended.code).isZero();
        assertThat(ended.said).contains("--config");
    }

    @Test
    void whatIsNotUnderstood_isSaid() throws Exception {
        Ended ended = run("--prot", "1");
        assertThat(ended.code).isEqualTo(2);
        assertThat(ended.said).startsWith("agent-hub: unknown argument '--prot'");
    }

    @Test
    void faultyConfiguration_isSaid() throws Exception {
        Path file = Files.writeString(directory.resolve("hub.yaml"), "version: 1\nlimitz: []\n");
        Ended ended = run("--port", "0", "--config", file.toString());
        assertThat(ended.code).isEqualTo(2);
        assertThat(ended.said).contains("hub.yaml:2:1:").contains("limits");
    }

    @Test
    void portThatIsTaken_isSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Ended ended = run("--port", Integer.toString(taken.getLocalPort()));
            assertThat(ended.code).isEqualTo(1);
            assertThat(ended.said).startsWith("agent-hub: cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }
}
