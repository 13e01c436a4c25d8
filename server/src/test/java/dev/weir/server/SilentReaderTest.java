package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that ask on and on and never read an answer are not read from, and at last cut off. */
class SilentReaderTest {
    /** What the kernel's buffers take on both sides, and a read or two. */
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

    private void assertIsCutOff(String request) throws Exception {
        try (SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server.port()))) {
            assertStallsUntilCut(channel, request.getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(server.check("{\"user\":\"other\"}").statusCode()).isEqualTo(200);
    }

    /** Whole requests, again and again, until nothing is taken any more; then until the connection is gone. */
    private static void assertStallsUntilCut(SocketChannel channel, byte[] request) throws Exception {
        ByteBuffer many = ByteBuffer.allocate(request.length * 1000);
        while (many.hasRemaining()) {
            many.put(request);
        }
        many.flip();
        channel.configureBlocking(false);
        long[] sent = {0};
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
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
