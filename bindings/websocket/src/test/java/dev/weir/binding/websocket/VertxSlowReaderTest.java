package dev.weir.binding.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.connection.ConnectionLimits;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients of Vert.x that do not read. */
@Tag("io")
class VertxSlowReaderTest {
    /**
     * Each message gets a response of some hundred bytes: far more in total than any system buffers for a connection.
     */
    private static final int MESSAGES = 100_000;

    /** The first byte of a text message in one frame. */
    private static final int TEXT = 0x81;

    private static final Duration LONG = Duration.ofSeconds(90);

    private final Vertx vertx = Vertx.vertx();
    private final Weir weir = Weir.inMemory(new ConfigurationReader(name -> null)
            .read("test.yaml", "limits: [{ name: closed, match: { type: closed }, per: [connection], rate: 0/min }]\n")
            .orThrow());
    private final ConnectionLimits connections = new ConnectionLimits(weir);
    private final AtomicInteger refused = new AtomicInteger();
    private final CompletableFuture<Connection> greeted = new CompletableFuture<>();
    private final CompletableFuture<Connection> ended = new CompletableFuture<>();
    private final MessagePipeline pipeline = MessagePipeline.builder(weir)
            .onLimitExceeded(exceeded -> {})
            .onExceed(Exceeding.custom((exceeded, connection) -> {
                refused.incrementAndGet();
                connection.send("refused".repeat(20));
            }))
            .to(new MessageHandler() {
                @Override
                public CompletionStage<?> handle(Message message, Connection connection) {
                    greeted.complete(connection);
                    return null;
                }

                @Override
                public void closed(Connection connection) {
                    ended.complete(connection);
                }
            });

    @AfterEach
    void end() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        connections.close();
        pipeline.close();
        weir.close();
    }

    private Socket open() throws IOException {
        VertxWebSockets sockets = new VertxWebSockets(vertx, pipeline, connections, request -> Map.of());
        int port = vertx.createHttpServer(new HttpServerOptions().setWebSocketClosingTimeout(1))
                .requestHandler(sockets::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.getOutputStream()
                .write(("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            answer.append((char) socket.getInputStream().read());
        }
        assertThat(answer).startsWith("HTTP/1.1 101");
        return socket;
    }

    /** The mask is zero, which changes nothing. */
    private static byte[] frame(String text) {
        byte[] payload = text.getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(TEXT);
        frame.write(0x80 | payload.length);
        frame.writeBytes(new byte[4]);
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    @Test
    void client_thatDoesNotReadItsRefusals_isNotReadFromUntilItDoes() throws Exception {
        try (Socket socket = open()) {
            ByteArrayOutputStream hundred = new ByteArrayOutputStream();
            for (int i = 0; i < 100; i++) {
                hundred.writeBytes(frame("{\"type\":\"closed\"}"));
            }
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < MESSAGES / 100; i++) {
                        socket.getOutputStream().write(hundred.toByteArray());
                    }
                } catch (IOException e) {
                    // The test checks the server's side.
                }
            });
            writer.start();
            awaitStandstill();
            assertThat(refused).as("answers that wait to be read").hasValueLessThan(MESSAGES);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            int read = 0;
            while (read < MESSAGES && in.readUnsignedByte() == TEXT) {
                int length = in.readUnsignedByte();
                in.readFully(new byte[length == 126 ? in.readUnsignedShort() : length]);
                read++;
            }
            assertThat(read).isEqualTo(MESSAGES);
            assertThat(refused).hasValue(MESSAGES);
            writer.join();
        }
    }

    private void awaitStandstill() {
        AtomicInteger before = new AtomicInteger(-1);
        await().atMost(LONG).pollInterval(Duration.ofSeconds(1)).until(() -> {
            int now = refused.get();
            return now > 0 && before.getAndSet(now) == now;
        });
    }

    @Test
    void client_thatDoesNotReadWhatTheApplicationSends_isCutOff() throws Exception {
        try (Socket socket = open()) {
            socket.getOutputStream().write(frame("{\"type\":\"hello\"}"));
            Connection connection = greeted.get(90, TimeUnit.SECONDS);
            String text = "x".repeat(64 * 1024);
            for (int i = 0; i < 500; i++) {
                connection.send(text);
            }
            await().atMost(LONG).until(ended::isDone);
            assertThat(connection.isOpen()).isFalse();
        }
    }
}
