package dev.weir.server;

import static dev.weir.server.Http2Client.DATA;
import static dev.weir.server.Http2Client.END_HEADERS;
import static dev.weir.server.Http2Client.END_STREAM;
import static dev.weir.server.Http2Client.HEADERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The memory of requests in flight has one bound. Above it the response is 503, and completed requests hold nothing.
 */
@Tag("io")
@Timeout(120)
class InFlightMemoryTest {
    private static final int BOUND = 300_000;
    private static final byte[] BODY = new byte[60_000];

    private TestServer server;
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    @Test
    void bodies_ofChecks() throws Exception {
        start(false);
        assertBounded("POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65000\r\n\r\n", BODY);
    }

    @Test
    void bodies_ofOtherCalls() throws Exception {
        start(false);
        assertBounded("POST /v1/peek HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65000\r\n\r\n", BODY);
    }

    @Test
    void headers_thatHaveNotEnded() throws Exception {
        start(false);
        assertBounded("GET / HTTP/1.1\r\nHost: localhost\r\n", new byte[0]);
    }

    @Test
    void oneAddress_leavesRoomForOthers() throws Exception {
        start(false);
        String head = "GET /v1/overview HTTP/1.1\r\nHost: localhost\r\n";
        String answer = "";
        for (int i = 0; i < 50 && answer.isEmpty(); i++) {
            answer = answer(send("127.0.0.1", head));
        }
        assertThat(answer).startsWith("HTTP/1.1 503 ");

        Socket other = send("127.0.0.9", head);
        assertThat(answer(other)).isEmpty();
        other.getOutputStream().write("\r\n".getBytes(StandardCharsets.US_ASCII));
        other.setSoTimeout(60_000);
        assertThat(answer(other)).startsWith("HTTP/1.1 200 ");
    }

    private Socket send(String from, String text) throws Exception {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.server.port(), InetAddress.getByName(from), 0);
        socket.setSoTimeout(300);
        sockets.add(socket);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void bodies_thatAreWhole_holdNothing() throws Exception {
        start(false);
        String padded = "{\"attributes\":{\"agent\":\"a\",\"action\":\"ping\"}" + " ".repeat(60_000) + "}";
        for (int i = 0; i < 20; i++) {
            assertThat(server.post("/v1/peek", padded).statusCode()).isEqualTo(200);
            assertThat(server.post("/v1/check", padded).statusCode()).isIn(200, 429);
        }
        assertThat(held()).isZero();
    }

    @Test
    void streams_ofHttp2() throws Exception {
        start(true);
        try (Http2Client client = Http2Client.open(server.server.port())) {
            for (int stream = 1; stream < 400; stream += 2) {
                client.frame(HEADERS, END_HEADERS, stream, Http2Client.request("POST", "/v1/check"));
            }
            client.flush();
            Http2Client.Frame refused = client.next(HEADERS);
            assertThat(refused).isNotNull();
            assertThat(refused.stream()).isGreaterThan(2 * 50);
        }
        try (Http2Client client = Http2Client.open(server.server.port())) {
            await().until(() -> held() == 0);
            client.frame(HEADERS, END_HEADERS, 1, Http2Client.request("POST", "/v1/peek"));
            client.frame(DATA, END_STREAM, 1, "{\"attributes\":{}}".getBytes(StandardCharsets.US_ASCII));
            client.flush();
            Http2Client.Frame answer = client.next(DATA);
            assertThat(answer).isNotNull();
            assertThat(new String(answer.payload(), StandardCharsets.UTF_8)).startsWith("{\"allowed\":true");
        }
        await().until(() -> held() == 0);
    }

    private void assertBounded(String head, byte[] body) throws Exception {
        String answer = "";
        for (int i = 0; i < 50 && answer.isEmpty(); i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port());
            socket.setSoTimeout(300);
            sockets.add(socket);
            try {
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(body);
            } catch (SocketException e) {
                assertThat(e).isNotNull(); // It has responded already.
            }
            answer = answer(socket);
        }
        assertThat(answer).startsWith("HTTP/1.1 503 ").containsIgnoringCase("\r\nretry-after: 1\r\n");
        assertThat(held()).isBetween(1L, (long) BOUND);

        for (Socket socket : sockets) {
            socket.close();
        }

        await().until(() -> held() == 0);
        assertThat(server.post("/v1/peek", "{\"attributes\":{}}").statusCode()).isEqualTo(200);
    }

    /** The server's output within a short time; empty if it waits for more. */
    private static String answer(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        byte[] bytes = new byte[4096];
        try {
            int length = in.read(bytes);
            return length < 0 ? "" : new String(bytes, 0, length, StandardCharsets.US_ASCII);
        } catch (java.net.SocketTimeoutException e) {
            return "";
        }
    }

    private long held() {
        return server.server.heldBytes();
    }

    private void start(boolean tls) throws Exception {
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withLimits(ServerLimits.defaults().withRequestBytes(BOUND));
        server = TestServer.start(
                tls
                        ? options.withTls(
                                new ServerOptions.Tls(TlsTest.file("test-cert.pem"), TlsTest.file("test-key.pem")))
                        : options);
    }
}
