package dev.weir.binding.websocket;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A WebSocket client. */
final class Client implements WebSocket.Listener {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final StringBuilder partial = new StringBuilder();
    private final WebSocket socket;

    private Client(int port, String path, String... headers) {
        WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + path), this)
                .join();
    }

    static Client connect(int port, String path, String... headers) {
        return new Client(port, path, headers);
    }

    void send(String text) {
        socket.sendText(text, true).join();
    }

    void sendBytes() {
        socket.sendBinary(java.nio.ByteBuffer.wrap(new byte[] {1}), true).join();
    }

    String next() throws InterruptedException {
        String text = received.poll(90, TimeUnit.SECONDS);
        if (text == null) {
            throw new AssertionError("nothing came");
        }
        return text;
    }

    void close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    }

    /** Disconnects without a close frame. */
    void abort() {
        socket.abort();
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            received.add(partial.toString());
            partial.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
        closed.complete(1006);
    }
}
