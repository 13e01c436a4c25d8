package dev.weir.server;

import static dev.weir.server.Http2Client.CONTINUATION;
import static dev.weir.server.Http2Client.END_HEADERS;
import static dev.weir.server.Http2Client.END_STREAM;
import static dev.weir.server.Http2Client.HEADERS;
import static dev.weir.server.Http2Client.RST_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are cheap for an HTTP/2 client and expensive for a server are bounded: the client is cut off. */
@Tag("io")
@Timeout(300)
class Http2FloodTest {
    private static final int MAX_STREAMS = 256;
    private static final int REFUSED_STREAM = 7;
    private static final int MOST_BYTES = 8 << 20;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withTls(new ServerOptions.Tls(TlsTest.file("test-cert.pem"), TlsTest.file("test-key.pem"))));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void streamsThatAreResetAtOnce_endTheConnection() throws Exception {
        try (Http2Client client = open()) {
            assertThat(isCutOffBy(client, step -> {
                        int stream = 2 * step + 1;
                        client.frame(HEADERS, END_HEADERS | END_STREAM, stream, request());
                        client.frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
                    }))
                    .isTrue();
        }
        assertStillServes();
    }

    @Test
    void headersThatNeverEnd_endTheConnection() throws Exception {
        try (Http2Client client = open()) {
            client.frame(HEADERS, END_STREAM, 1, request());
            byte[] more = new byte[1024];
            // A literal header without indexing, name "x", and a long value, repeated.
            java.util.Arrays.fill(more, (byte) 'y');
            more[0] = 0;
            more[1] = 1;
            more[2] = 'x';
            more[3] = 0x7f;
            more[4] = (byte) (0x80 | ((1024 - 6 - 127) & 0x7f));
            more[5] = (byte) ((1024 - 6 - 127) >> 7);
            assertThat(isCutOffBy(client, step -> client.frame(CONTINUATION, 0, 1, more)))
                    .isTrue();
        }
        assertStillServes();
    }

    @Test
    void emptyContinuations_endTheConnection() throws Exception {
        try (Http2Client client = open()) {
            client.frame(HEADERS, END_STREAM, 1, request());
            assertThat(isCutOffBy(client, step -> client.frame(CONTINUATION, 0, 1, new byte[0])))
                    .isTrue();
        }
        assertStillServes();
    }

    @Test
    void streamsAboveTheBound_areRefused_alsoToWhoAcknowledgesNothing() throws Exception {
        try (Http2Client client = open()) {
            for (int i = 0; i <= MAX_STREAMS; i++) {
                client.frame(HEADERS, END_HEADERS, 2 * i + 1, Http2Client.request("POST", "/v1/check"));
            }
            client.flush();

            Http2Client.Frame refused = client.next(RST_STREAM);

            assertThat(refused).isNotNull();
            assertThat(refused.stream()).isEqualTo(2 * MAX_STREAMS + 1);
            assertThat(refused.code()).isEqualTo(REFUSED_STREAM);
        }
        assertStillServes();
    }

    private static byte[] request() {
        return Http2Client.request("GET", "/");
    }

    private static Http2Client open() throws Exception {
        return Http2Client.open(server.server.port());
    }

    private static void assertStillServes() throws Exception {
        try (Http2Client client = open()) {
            client.frame(HEADERS, END_HEADERS | END_STREAM, 1, request());
            client.flush();
            assertThat(client.next(HEADERS)).isNotNull();
        }
    }

    private interface Step {
        void send(int step) throws IOException;
    }

    /** Sends step after step until the server cuts the connection; returns false if it never does. */
    private static boolean isCutOffBy(Http2Client client, Step step) throws IOException {
        long sent = 0;
        try {
            for (int i = 0; sent < MOST_BYTES; i++) {
                step.send(i);
                if (client.waiting() > 16_000) {
                    sent += client.waiting();
                    client.flush();
                }
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
