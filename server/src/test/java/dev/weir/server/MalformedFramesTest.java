package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Bytes that are not WebSocket frames end their connection, and affect no other. */
@Tag("io")
class MalformedFramesTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.preset("agent-hub");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @TestFactory
    Stream<DynamicTest> framesThatAreNone_endTheConnection() {
        byte[] hello = "hello".getBytes(StandardCharsets.US_ASCII);
        return Stream.of(
                bad("not masked", new byte[] {(byte) 0x81, 1, '{'}),
                bad("a reserved bit", RawFrames.frame(0xC1, hello)),
                bad("a reserved opcode", RawFrames.frame(0x83, hello)),
                bad("a reserved control opcode", RawFrames.frame(0x8B, hello)),
                bad("a continuation of nothing", RawFrames.frame(0x80, hello)),
                bad("a ping in parts", RawFrames.frame(0x09, hello)),
                bad("a ping too long", RawFrames.frame(0x89, new byte[126])),
                bad("a text that is not UTF-8", RawFrames.frame(0x81, new byte[] {(byte) 0xc3, 0x28})),
                bad("a length beyond all bounds", new byte[] {(byte) 0x81, (byte) 0xff, 0x7f, -1, -1, -1, -1, -1, -1, -1
                }),
                bad(
                        "a negative length",
                        new byte[] {(byte) 0x81, (byte) 0xff, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0}),
                bad("a close of one byte", RawFrames.frame(0x88, new byte[1])));
    }

    private static DynamicTest bad(String name, byte[] bytes) {
        return DynamicTest.dynamicTest(name, () -> {
            try (SocketChannel channel = RawFrames.open(server.server.port())) {
                channel.write(ByteBuffer.wrap(bytes));
                channel.socket().setSoTimeout(90_000);
                readToTheEnd(channel);
            }
            assertThat(server.frames()
                            .ask("{\"attributes\":{\"agent\":\"other\",\"action\":\"ping\"}}")
                            .get("type")
                            .asText())
                    .isEqualTo("allowed");
        });
    }

    /** Fails by a timeout if the server does not close. */
    private static void readToTheEnd(SocketChannel channel) throws IOException {
        try {
            InputStream in = channel.socket().getInputStream();
            while (in.read() >= 0) {
                // Ignores what the server sends before it closes.
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the server has not closed the connection", e);
        } catch (IOException e) {
            // A reset closes the connection, too.
        }
    }

    @Test
    void messageInParts_isOneCheck() throws Exception {
        try (SocketChannel channel = RawFrames.open(server.server.port())) {
            byte[] first = "{\"attributes\":{\"agent\":".getBytes(StandardCharsets.US_ASCII);
            byte[] rest = "\"parts\",\"action\":\"ping\"}}".getBytes(StandardCharsets.US_ASCII);
            channel.write(ByteBuffer.wrap(RawFrames.frame(0x01, first)));
            channel.write(ByteBuffer.wrap(RawFrames.frame(0x89, new byte[3])));
            channel.write(ByteBuffer.wrap(RawFrames.frame(0x80, rest)));
            channel.socket().setSoTimeout(90_000);
            byte[] heard = new byte[400];
            int length = channel.socket().getInputStream().readNBytes(heard, 0, heard.length);
            String answer = new String(heard, 0, length, StandardCharsets.ISO_8859_1);
            // The server sent a pong for the ping in between.
            assertThat(heard[0]).isEqualTo((byte) 0x8A);
            assertThat(answer).contains("\"type\":\"allowed\"");
        }
    }

    @Test
    void noise_endsTheConnection_orIsIgnored() throws Exception {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[random.nextInt(200) + 1];
            random.nextBytes(noise);
            try (SocketChannel channel = RawFrames.open(server.server.port())) {
                channel.write(ByteBuffer.wrap(noise));
            }
        }
        assertThat(server.get("/health/ready").statusCode()).isEqualTo(200);
    }
}
