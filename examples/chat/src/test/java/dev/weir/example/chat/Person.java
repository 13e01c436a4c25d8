package dev.weir.example.chat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A chat client. */
final class Person implements WebSocket.Listener {
    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StringBuilder partial = new StringBuilder();
    private final WebSocket socket;

    /** Connects, with headers as alternating names and values. */
    Person(ChatServer server, String... headers) {
        WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/chat"), this)
                .join();
    }

    Person send(String text) {
        socket.sendText(text, true).join();
        return this;
    }

    /** Sends a message of a type, without a payload. */
    Person say(String type) {
        return send("{\"type\":\"" + type + "\"}");
    }

    String next() throws InterruptedException {
        String text = heard.poll(90, TimeUnit.SECONDS);
        if (text == null) {
            throw new AssertionError("nothing came");
        }
        return text;
    }

    /** Returns how many of the next messages contain this text. */
    int count(int messages, String part) throws InterruptedException {
        int count = 0;
        for (int i = 0; i < messages; i++) {
            count += next().contains(part) ? 1 : 0;
        }
        return count;
    }

    boolean hasHeardNothingMore() {
        return heard.isEmpty();
    }

    void leave() {
        socket.abort();
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            heard.add(partial.toString());
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
