package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.Logs;
import dev.weir.server.ServerLimits;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that has run out of memory, or has lost a listening socket, exits, so that a supervisor restarts it. */
@Tag("io")
@Timeout(120)
class FatalErrorsTest {
    @ParameterizedTest
    @ValueSource(strings = {"logged", "uncaught", "listening"})
    void fatalError_endsTheProcess(String kind) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        kind)
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(FatalErrors.EXIT_CODE);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Triggers an error, and keeps running unless the error handler exits. */
    static final class Child {
        public static void main(String[] args) throws Exception {
            Logs.use(Logs.Format.TEXT);
            switch (args[0]) {
                case "logged" ->
                    Logger.getLogger("library")
                            .log(Level.WARNING, "failed", new CompletionException(new OutOfMemoryError("full")));
                case "uncaught" -> new Thread(() -> System.out.println(new long[Integer.MAX_VALUE].length)).start();
                default -> {
                    ConnectionCap connectionCap = new ConnectionCap(ServerLimits.defaults(), address -> false);
                    EmbeddedChannel channel = new EmbeddedChannel(connectionCap);
                    connectionCap.started();
                    channel.close();
                }
            }
            new CountDownLatch(1).await();
        }
    }
}
