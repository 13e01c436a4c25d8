package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.FatalErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server with a heap of 256 MB under floods that would fill it. When they end, it responds within ten seconds, or it
 * has exited and a supervisor restarts it. It is never alive without responding.
 */
@Timeout(180)
class FloodIT {
    private static final Duration RECOVERY = Duration.ofSeconds(10);
    /** The longest duration of a flood, however far it has got. */
    private static final Duration LONGEST_FLOOD = Duration.ofSeconds(5);

    private final List<SocketChannel> flood = new ArrayList<>();
    private Process process;
    private int port;
    private boolean isTls;

    @AfterEach
    void stop() throws Exception {
        endFlood();
        process.destroyForcibly().waitFor();
    }

    @Test
    void unfinishedBodies_overHttp1() throws Exception {
        start("plain");
        byte[] body = new byte[64_000];

        flood(4_500, "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65000\r\n\r\n", body);
        assertRecovers();

        flood(4_500, "POST /v1/peek HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFA00\r\n", body);
        assertRecovers();
    }

    @Test
    void unfinishedHeaders_failedHandshakes_andSilence() throws Exception {
        start("plain");

        flood(3_000, "GET / HTTP/1.1\r\nHost: localhost\r\n" + "a:\r\n".repeat(4_000), new byte[0]);
        assertRecovers();

        flood(
                6_000,
                "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                new byte[0]);
        flood(6_000, "", new byte[0]);
        assertRecovers();
    }

    /** Headers alone, to which flow control does not apply, of requests whose bodies never come. */
    @Test
    void unfinishedBodies_overHttp2() throws Exception {
        start("tls");
        List<Http2Client> clients = new ArrayList<>();
        byte[] head = Http2Client.request("POST", "/v1/check");
        long end = System.nanoTime() + LONGEST_FLOOD.toNanos();
        for (int i = 0; i < 24 && System.nanoTime() < end && process.isAlive(); i++) {
            try {
                Http2Client client = Http2Client.open(port);
                clients.add(client);
                for (int stream = 0; stream < 20_000; stream++) {
                    client.frame(Http2Client.HEADERS, Http2Client.END_HEADERS, 2 * stream + 1, head);
                }
                client.flush();
            } catch (IOException e) {
                assertThat(e).isNotNull(); // Cut off, as expected.
            }
        }
        awaitItsEffect();
        for (Http2Client client : clients) {
            client.close();
        }
        assertRecovers();
    }

    /** Opens connections, each with the beginning of a request, and leaves them open. */
    private void flood(int connections, String head, byte[] body) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(head.length() + body.length)
                .put(head.getBytes(StandardCharsets.US_ASCII))
                .put(body);
        long end = System.nanoTime() + LONGEST_FLOOD.toNanos();
        for (int i = 0; i < connections && System.nanoTime() < end && process.isAlive(); i++) {
            SocketChannel channel = SocketChannel.open();
            flood.add(channel);
            try {
                channel.socket().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
                channel.configureBlocking(false);
                ByteBuffer unsent = bytes.duplicate().flip();
                for (int tries = 0; unsent.hasRemaining() && tries < 100; tries++) {
                    channel.write(unsent);
                    Thread.onSpinWait();
                }
            } catch (IOException e) {
                // Refused or cut off, as expected.
                channel.close();
            }
        }
    }

    private void endFlood() throws IOException {
        for (SocketChannel channel : flood) {
            channel.close();
        }
        flood.clear();
    }

    /** Waits until the server has read everything that was sent before this request. */
    private void awaitItsEffect() throws Exception {
        try {
            client().send(check(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            assertThat(e).isNotNull(); // During the flood, a client may be refused.
        }
    }

    private void assertRecovers() throws Exception {
        awaitItsEffect();
        endFlood();
        HttpClient client = client();
        long end = System.nanoTime() + RECOVERY.toNanos();
        String last = "";
        while (process.isAlive() && System.nanoTime() < end) {
            try {
                HttpResponse<String> answer = client.send(check(), HttpResponse.BodyHandlers.ofString());
                last = answer.statusCode() + " " + answer.body();
                if (answer.statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                last = e.toString();
            }
        }
        // A supervisor would restart it, so the rest of the test is skipped.
        assertThat(process.isAlive()).as("alive, and deaf: " + last).isFalse();
        assertThat(process.exitValue()).isEqualTo(FatalErrors.EXIT_CODE);
    }

    private static HttpClient client() throws Exception {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(TlsTest.trusting())
                .build();
    }

    private HttpRequest check() {
        return HttpRequest.newBuilder(URI.create((isTls ? "https" : "http") + "://localhost:" + port + "/v1/check"))
                .timeout(Duration.ofSeconds(3))
                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\":{\"agent\":\"a\",\"action\":\"ping\"}}"))
                .build();
    }

    private void start(String kind) throws Exception {
        isTls = kind.equals("tls");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        kind)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        port = Integer.parseInt(out.readLine());
    }

    /** A server that prints its port and runs until it is killed. */
    static final class Child {
        public static void main(String[] args) throws Exception {
            ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"));
            if (args[0].equals("tls")) {
                options = options.withTls(
                        new ServerOptions.Tls(TlsTest.file("test-cert.pem"), TlsTest.file("test-key.pem")));
            }
            System.out.println(WeirServer.start(options).port());
            new CountDownLatch(1).await();
        }
    }
}
