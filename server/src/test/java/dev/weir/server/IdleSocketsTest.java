package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Ten thousand silent WebSockets cost little and do not affect others. They need two processes, because of the limit on
 * open files.
 */
@Tag("io")
class IdleSocketsTest {
    private static final int SOCKETS = 10_000;
    private static final long MOST_BYTES_EACH = 16 * 1024;

    @Test
    @Timeout(300)
    void tenThousandIdleSockets_costLittle_andTheServerAnswers() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<SocketChannel> sockets = new ArrayList<>(SOCKETS);
        try (BufferedReader out =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                PrintStream in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8)) {
            int port = Integer.parseInt(out.readLine());
            long before = heap(in, out);

            for (int i = 0; i < SOCKETS; i++) {
                sockets.add(RawFrames.open(port));
            }

            assertThat((heap(in, out) - before) / SOCKETS).isLessThan(MOST_BYTES_EACH);
            HttpResponse<String> metrics = get(port, "/metrics");
            assertThat(metrics.body()).contains("weir_websocket_connections 10000.0");
            for (SocketChannel one : List.of(sockets.get(0), sockets.get(SOCKETS - 1))) {
                one.write(ByteBuffer.wrap(RawFrames.text("{\"attributes\":{\"agent\":\"a\",\"action\":\"ping\"}}")));
                assertThat(read(one)).contains("\"type\":\"allowed\"");
            }
            in.println("stop");
            // 1001, going away.
            assertThat(read(sockets.get(SOCKETS / 2)).getBytes(StandardCharsets.ISO_8859_1))
                    .startsWith(0x88)
                    .containsSequence(1001 >> 8, 1001 & 0xff);
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
            for (SocketChannel socket : sockets) {
                socket.close();
            }
        }
    }

    private static long heap(PrintStream in, BufferedReader out) throws Exception {
        in.println("heap");
        return Long.parseLong(out.readLine());
    }

    private static String read(SocketChannel socket) throws Exception {
        ByteBuffer some = ByteBuffer.allocate(4096);
        socket.read(some);
        return StandardCharsets.ISO_8859_1.decode(some.flip()).toString();
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** A server that prints its port, prints its heap on request, and exits on command. */
    static final class Child {
        public static void main(String[] args) throws Exception {
            // The sockets send no pong, and a busy machine needs longer than a minute to open all of them.
            WeirServer server = WeirServer.start(ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                    .withLimits(ServerLimits.defaults()
                            .withConnectionsPerAddress(SOCKETS + 10)
                            .withIdleTime(Duration.ofMinutes(10)))
                    .withDrainDelay(Duration.ZERO));
            System.out.println(server.port());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && line.equals("heap"); line = in.readLine()) {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                System.out.println(runtime.totalMemory() - runtime.freeMemory());
            }
            server.close();
        }
    }
}
