package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What costs an HTTP/2 client little and a server much is bounded: the client is cut off. */
@Timeout(300)
class Http2FloodTest {
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
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
        try (Client client = new Client()) {
            assertThat(client.isCutOffBy(step -> {
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
        try (Client client = new Client()) {
            client.frame(HEADERS, END_STREAM, 1, request());
            byte[] more = new byte[1024];
            // A literal header without indexing, name "x", and a long value, again and again.
            java.util.Arrays.fill(more, (byte) 'y');
            more[0] = 0;
            more[1] = 1;
            more[2] = 'x';
            more[3] = 0x7f;
            more[4] = (byte) (0x80 | ((1024 - 6 - 127) & 0x7f));
            more[5] = (byte) ((1024 - 6 - 127) >> 7);
            assertThat(client.isCutOffBy(step -> client.frame(CONTINUATION, 0, 1, more)))
                    .isTrue();
        }
        assertStillServes();
    }

    @Test
    void emptyContinuations_endTheConnection() throws Exception {
        try (Client client = new Client()) {
            client.frame(HEADERS, END_STREAM, 1, request());
            assertThat(client.isCutOffBy(step -> client.frame(CONTINUATION, 0, 1, new byte[0])))
                    .isTrue();
        }
        assertStillServes();
    }

    /** GET / of HTTPS, by the indexes of HPACK's static table. */
    private static byte[] request() {
        return new byte[] {(byte) 0x82, (byte) 0x87, (byte) 0x84, 0x41, 1, 'x'};
    }

    private static void assertStillServes() throws Exception {
        try (Client client = new Client()) {
            client.frame(HEADERS, END_HEADERS | END_STREAM, 1, request());
            client.flush();
            assertThat(client.awaitFrame(HEADERS)).isTrue();
        }
    }

    private interface Step {
        void send(int step) throws IOException;
    }

    /** A client that speaks HTTP/2 frame by frame. */
    private static final class Client implements AutoCloseable {
        private final SSLSocket socket;
        private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

        Client() throws Exception {
            socket = (SSLSocket) TlsTest.trusting()
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), server.server.port());
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(90_000);
            socket.startHandshake();
            assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
            waiting.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            frame(SETTINGS, 0, 0, new byte[0]);
        }

        void frame(int type, int flags, int stream, byte[] payload) {
            ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
            frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
            frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
            waiting.writeBytes(frame.array());
        }

        void flush() throws IOException {
            socket.getOutputStream().write(waiting.toByteArray());
            socket.getOutputStream().flush();
            waiting.reset();
        }

        /** Sends step after step until the server has had enough; false if it never has. */
        boolean isCutOffBy(Step step) throws IOException {
            long sent = 0;
            try {
                for (int i = 0; sent < MOST_BYTES; i++) {
                    step.send(i);
                    if (waiting.size() > 16_000) {
                        sent += waiting.size();
                        flush();
                    }
                }
                return false;
            } catch (IOException e) {
                return true;
            }
        }

        /** Reads until a frame of this kind comes; false if the connection ends before. */
        boolean awaitFrame(int type) {
            try {
                InputStream in = socket.getInputStream();
                for (byte[] head = in.readNBytes(9); head.length == 9; head = in.readNBytes(9)) {
                    in.readNBytes(((head[0] & 0xff) << 16) | ((head[1] & 0xff) << 8) | (head[2] & 0xff));
                    if (head[3] == type) {
                        return true;
                    }
                }
            } catch (IOException e) {
                // Cut off.
            }
            return false;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
