package dev.weir.example.saas;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client of the service, over real sockets. */
final class Visitor {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final int port;
    private final String member;

    /** @param member the member whose token it sends; empty for none */
    Visitor(SaasServer server, String member) {
        this(server.port(), member);
    }

    Visitor(int port, String member) {
        this.port = port;
        this.member = member;
    }

    HttpResponse<String> get(String path) throws Exception {
        return send(request(path).GET().build());
    }

    HttpResponse<String> post(String path, String json) throws Exception {
        return send(posting(path, json));
    }

    CompletableFuture<HttpResponse<String>> getLater(String path) {
        return HTTP.sendAsync(request(path).GET().build(), BodyHandlers.ofString());
    }

    HttpResponse<String> ask(String prompt, int maxTokens) throws Exception {
        return send(asking(prompt, maxTokens));
    }

    HttpRequest asking(String prompt, int maxTokens) {
        return posting(CompletionController.PATH, "{\"prompt\":\"" + prompt + "\",\"maxTokens\":" + maxTokens + "}");
    }

    /** Returns what is left of a resource, as the service reports it. */
    long left(String resource) throws Exception {
        Matcher limit = Pattern.compile("\"resource\":\"" + resource + "\"[^}]*\"remaining\":(\\d+)")
                .matcher(get("/api/rate-limits").body());
        if (!limit.find()) {
            throw new AssertionError("no limit " + resource);
        }
        return Long.parseLong(limit.group(1));
    }

    /** Opens a live connection. Fails with the handshake's response if that is refused. */
    CompletableFuture<WebSocket> connect() {
        return HTTP.newWebSocketBuilder()
                .header("Authorization", "Bearer token-of-" + member)
                .connectTimeout(Duration.ofSeconds(20))
                .buildAsync(URI.create("ws://127.0.0.1:" + port + LiveConnections.PATH), new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
                        socket.request(1);
                        return null;
                    }
                });
    }

    /** Returns the status of a refused handshake. */
    int refusedHandshake() throws Exception {
        try {
            connect().get(90, TimeUnit.SECONDS).abort();
            throw new AssertionError("the handshake was accepted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                return refused.getResponse().statusCode();
            }
            throw e;
        }
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30));
        return member.isEmpty() ? request : request.header("Authorization", "Bearer token-of-" + member);
    }

    private HttpRequest posting(String path, String json) {
        return request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build();
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, BodyHandlers.ofString());
    }

    static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }
}
