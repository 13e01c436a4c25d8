package dev.weir.example.hub;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A console client that acts as an agent. It identifies itself, sends each input line as a frame, and prints each
 * received frame. A single word is a frame of that type; {@code wait 5} waits five seconds.
 */
final class ConsoleAgent implements WebSocket.Listener {
    /** How long no frame must have come before the client closes. */
    private static final Duration QUIET_TIME = Duration.ofSeconds(1);
    /** How long the hub may take for what was sent. */
    private static final Duration PONG_TIMEOUT = Duration.ofMinutes(1);

    private final InputStream lines;
    private final PrintStream frames;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch pong = new CountDownLatch(1);
    private volatile long lastFrameNanos = System.nanoTime();
    private final StringBuilder part = new StringBuilder();

    ConsoleAgent(InputStream lines, PrintStream frames) {
        this.lines = lines;
        this.frames = frames;
    }

    /**
     * Runs until the input ends or the hub closes the connection.
     *
     * @return the exit code
     */
    int with(String hub, String token) {
        URI socket = URI.create(hub.replaceFirst("^http", "ws") + "/ws");
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8))) {
            WebSocket to = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(socket, this)
                    .join();
            send(to, "{\"type\":\"identify\",\"token\":\"" + token + "\"}");
            for (String line = reader.readLine(); line != null && closed.getCount() > 0; line = reader.readLine()) {
                say(to, line.strip());
            }
            awaitReplies(to);
            if (closed.getCount() > 0) {
                to.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            }
            return 0;
        } catch (CompletionException e) {
            throw new IllegalStateException("cannot talk with " + socket + ": " + e.getCause(), e);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    /** The hub returns the pong when it has read all frames; replies to the last ones may come later. */
    private void awaitReplies(WebSocket to) throws InterruptedException {
        if (closed.getCount() > 0) {
            to.sendPing(ByteBuffer.allocate(0)).join();
        }
        long deadline = System.nanoTime() + PONG_TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            long quiet = System.nanoTime() - lastFrameNanos;
            if (pong.getCount() == 0 && quiet >= QUIET_TIME.toNanos()) {
                return;
            }
            if (closed.await(20, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }

    private void say(WebSocket to, String line) throws InterruptedException {
        if (line.matches("wait \\d{1,4}")) {
            closed.await(Long.parseLong(line.substring(5)), TimeUnit.SECONDS);
        } else if (!line.isEmpty()) {
            send(to, line.matches("\\w+") ? "{\"type\":\"" + line + "\"}" : line);
        }
    }

    private static void send(WebSocket to, String frame) {
        to.sendText(frame, true).join();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        lastFrameNanos = System.nanoTime();
        part.append(data);
        if (last) {
            frames.println(part);
            part.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
        lastFrameNanos = System.nanoTime();
        pong.countDown();
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        frames.println("closed with " + code + ": " + reason);
        closed.countDown();
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        frames.println("cut off: " + error.getMessage());
        closed.countDown();
    }
}
