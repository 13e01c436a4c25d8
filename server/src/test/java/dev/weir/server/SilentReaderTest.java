package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server stops reading from clients that send requests and never read a response, and finally cuts them off. */
@Tag("io")
class SilentReaderTest {
    /** The capacity of the kernel's buffers on both sides, and of a read or two. */
    private static final long MOST_BYTES = 32 << 20;

    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.yaml(
                "version: 1\nlimits:\n  - { name: general, per: [user], rate: 1_000_000/s }\n",
                options -> options.withLimits(ServerLimits.defaults().withIdleTime(Duration.ofSeconds(2))));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void checks_pipelined() throws Exception {
        String body = "{\"attributes\":{\"user\":\"u\"}}";
        assertIsCutOff("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    @Test
    void otherRequests_pipelined() throws Exception {
        assertIsCutOff("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    @Test
    void frames() throws Exception {
        try (SocketChannel channel = RawFrames.open(server.server.port())) {
            assertStallsUntilCut(channel, RawFrames.text("{\"attributes\":{\"user\":\"u\"}}"));
        }
    }

    /** While the client does not read, pings get no pong, because pongs would have to be buffered. */
    @Test
    void pings() throws Exception {
        byte[] ping = RawFrames.frame(0x89, new byte[125]);
        try (TestServer patient = TestServer.preset("chat");
                SocketChannel channel = RawFrames.open(patient.server.port())) {
            ByteBuffer many = many(ping);
            for (long sent = 0; sent < 2 * MOST_BYTES; many.rewind()) {
                sent += channel.write(many);
            }
            channel.socket().setSoTimeout(2000);
            long read = 0;
            byte[] some = new byte[1 << 16];
            try {
                for (int n = 0; n >= 0; n = channel.socket().getInputStream().read(some)) {
                    read += n;
                }
            } catch (SocketTimeoutException e) {
                // All has been read.
            }
            assertThat(read).isBetween(127L, MOST_BYTES);
        }
    }

    /** A pong counts only if it repeats the ping's payload. */
    @Test
    void pongsThatAnswerNothing_keepNobody() throws Exception {
        try (SocketChannel channel = RawFrames.open(server.server.port())) {
            ByteBuffer pong = ByteBuffer.wrap(RawFrames.frame(0x8a, new byte[0]));
            await().until(() -> {
                try {
                    channel.write(pong.rewind());
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void followerOfEvents() throws Exception {
        try (SocketChannel channel = connect()) {
            channel.write(ascii("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"));
            await().until(() -> metric("weir_events_followers") == 1);
            // Numbers come once a second; refusals fill the kernel's buffers sooner.
            String body = "{\"attributes\":{\"user\":\"" + "x".repeat(900) + "\"},\"cost\":2000000}";
            String check = "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
            await().until(() -> {
                server.raw(check.repeat(500), 500);
                return metric("weir_events_followers") == 0;
            });
        }
    }

    @Test
    void followerOfTheDashboard() throws Exception {
        try (SocketChannel channel = connect()) {
            channel.write(ascii("GET /v1/events?view=dashboard HTTP/1.1\r\nHost: x\r\n\r\n"));
            await().until(() -> metric("weir_events_followers") == 1);
            int[] round = {0};
            // Subjects are published once a second; many new ones fill the kernel's buffers.
            await().until(() -> {
                StringBuilder checks = new StringBuilder();
                for (int i = 0; i < 1000; i++) {
                    String user = round[0] + "-" + i + "x".repeat(200);
                    String body = "{\"attributes\":{\"user\":\"" + user + "\"},\"cost\":2000000}";
                    checks.append("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: ")
                            .append(body.length())
                            .append("\r\n\r\n")
                            .append(body);
                }
                round[0]++;
                server.raw(checks.toString(), 1000);
                return metric("weir_events_followers") == 0;
            });
            assertThat(server.check("{\"user\":\"other\"}").statusCode()).isEqualTo(200);
        }
    }

    /** Requests held back for one reason are not released for another. */
    @Test
    void requestsBehindAnEndlessAnswer() throws Exception {
        try (SocketChannel channel = connect()) {
            String page = "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n";
            String live = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
            channel.write(ascii(page.repeat(1500) + "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n" + live.repeat(50)));
            channel.configureBlocking(false);
            StringBuilder tail = new StringBuilder();
            ByteBuffer some = ByteBuffer.allocate(1 << 16);
            await().pollInterval(Duration.ofMillis(1)).until(() -> {
                channel.read(some.clear());
                tail.append(StandardCharsets.ISO_8859_1.decode(some.flip()));
                tail.delete(0, Math.max(0, tail.length() - (1 << 16) - 4096));
                return tail.indexOf("event: stats") >= 0;
            });
            ByteBuffer many = many(live.getBytes(StandardCharsets.US_ASCII));
            long taken = 0;
            long quietSince = System.nanoTime();
            while (System.nanoTime() - quietSince < Duration.ofSeconds(2).toNanos()) {
                channel.read(some.clear());
                if (!many.hasRemaining()) {
                    many.rewind();
                }
                int n = channel.write(many);
                taken += n;
                quietSince = n > 0 ? System.nanoTime() : quietSince;
                assertThat(taken).as("bytes that the server has taken").isLessThan(MOST_BYTES);
            }
        }
    }

    private long metric(String name) {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server.port()));
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteBuffer many(byte[] request) {
        ByteBuffer many = ByteBuffer.allocate(request.length * 1000);
        while (many.hasRemaining()) {
            many.put(request);
        }
        return many.flip();
    }

    private void assertIsCutOff(String request) throws Exception {
        try (SocketChannel channel = connect()) {
            assertStallsUntilCut(channel, request.getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(server.check("{\"user\":\"other\"}").statusCode()).isEqualTo(200);
    }

    /** Sends complete requests until none is accepted any more, and waits until the connection is closed. */
    private static void assertStallsUntilCut(SocketChannel channel, byte[] request) throws Exception {
        ByteBuffer many = many(request);
        channel.configureBlocking(false);
        long[] sent = {0};
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            assertThat(sent[0]).as("bytes that the server has taken").isLessThan(MOST_BYTES);
            try {
                if (!many.hasRemaining()) {
                    many.rewind();
                }
                sent[0] += channel.write(many);
                return false;
            } catch (IOException e) {
                return true;
            }
        });
    }
}
