package dev.weir.server;

import static dev.weir.server.Http2Client.DATA;
import static dev.weir.server.Http2Client.END_HEADERS;
import static dev.weir.server.Http2Client.END_STREAM;
import static dev.weir.server.Http2Client.HEADERS;
import static dev.weir.server.Http2Client.RST_STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.TestTimeouts;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In every state of a connection some timeout applies. */
@Tag("io")
@Timeout(120)
class TimeoutsTest {
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final int CONNECTIONS = 20;

    private static TestServer plain;
    private static TestServer tls;

    @BeforeAll
    static void start() throws Exception {
        ServerLimits limits = ServerLimits.defaults()
                .withConnections(CONNECTIONS)
                .withIdleTime(SHORT)
                .withBodyTime(SHORT);
        plain = TestServer.start(options(limits));
        tls = TestServer.start(tls(limits));
    }

    private static ServerOptions options(ServerLimits limits) {
        return ServerOptions.of(ConfigurationSource.preset("agent-hub")).withLimits(limits);
    }

    private static ServerOptions tls(ServerLimits limits) throws Exception {
        return options(limits)
                .withTls(new ServerOptions.Tls(TlsTest.file("test-cert.pem"), TlsTest.file("test-key.pem")));
    }

    @AfterAll
    static void stop() {
        plain.close();
        tls.close();
    }

    @Test
    void failedWebSocketHandshakes_end_andOthersAreServed() throws Exception {
        List<Socket> all = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket socket = connect();
                socket.getOutputStream()
                        .write(("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                                        + "Upgrade: websocket\r\nSec-WebSocket-Version: 99\r\n"
                                        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                all.add(socket);
            }

            for (Socket socket : all) {
                awaitEnd(socket);
            }
            await().atMost(TestTimeouts.LONG)
                    .untilAsserted(() ->
                            assertThat(plain.get("/health/live").statusCode()).isEqualTo(200));
        } finally {
            for (Socket socket : all) {
                socket.close();
            }
        }
    }

    @Test
    void http2Connection_thatSaysNothingAfterItsHandshake_ends() throws Exception {
        try (Http2Client client = Http2Client.silent(tls.server.port())) {
            client.awaitEnd();
        }
    }

    @Test
    void connection_whoseEventStreamWasReset_ends() throws Exception {
        try (Http2Client client = Http2Client.open(tls.server.port())) {
            client.frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Client.request("GET", "/v1/events"));
            client.flush();
            assertThat(client.next(HEADERS)).isNotNull();
            client.frame(RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
            client.flush();

            client.awaitEnd();
        }
    }

    @Test
    void unfinishedBody_besideAnEventStream_endsTheConnection() throws Exception {
        try (Http2Client client = Http2Client.open(tls.server.port())) {
            client.frame(HEADERS, END_HEADERS | END_STREAM, 1, Http2Client.request("GET", "/v1/events"));
            client.frame(HEADERS, END_HEADERS, 3, Http2Client.request("POST", "/v1/check"));
            client.flush();

            client.awaitEnd();
        }
    }

    @Test
    void unfinishedBody_besideFinishedOnes_endsTheConnection() throws Exception {
        try (Http2Client client = Http2Client.open(tls.server.port())) {
            client.frame(HEADERS, END_HEADERS, 1, Http2Client.request("POST", "/v1/check"));
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            for (int stream = 3; System.nanoTime() < end; stream += 2) {
                client.frame(HEADERS, END_HEADERS, stream, Http2Client.request("POST", "/v1/check"));
                client.frame(DATA, END_STREAM, stream, new byte[] {'{', '}'});
                client.flush();
                if (client.next(HEADERS) == null) {
                    return;
                }
            }
            throw new AssertionError("the connection is still open");
        } catch (java.io.IOException e) {
            assertThat(e).isNotNull(); // Cut off while it sent.
        }
    }

    @Test
    void connection_thatResetAnUnfinishedBody_goesOn() throws Exception {
        // Only the body's timeout is short, so that a test that stalls does not become idle.
        try (TestServer own = TestServer.start(tls(
                        ServerLimits.defaults().withIdleTime(TestTimeouts.LONG).withBodyTime(SHORT)));
                Http2Client client = Http2Client.open(own.server.port())) {
            client.frame(HEADERS, END_HEADERS, 1, Http2Client.request("POST", "/v1/check"));
            client.frame(RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
            long end = System.nanoTime() + SHORT.multipliedBy(3).toNanos();
            AtomicInteger stream = new AtomicInteger(1);
            await().pollInterval(Duration.ofMillis(250)).until(() -> {
                byte[] request = Http2Client.request("GET", "/health/live");
                client.frame(HEADERS, END_HEADERS | END_STREAM, stream.addAndGet(2), request);
                client.flush();
                assertThat(client.next(HEADERS)).isNotNull();
                return System.nanoTime() > end;
            });
        }
    }

    private static Socket connect() throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), plain.server.port());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void awaitEnd(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        try {
            while (in.read() >= 0) {
                assertThat(socket.isClosed()).isFalse();
            }
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (java.io.IOException e) {
            assertThat(e).isNotNull(); // A reset ends it, too.
        }
    }
}
