package dev.weir.http.retry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A real HTTP server with limits, or with responses that a test sets. */
final class Api implements AutoCloseable {
    final List<String> bodies = new CopyOnWriteArrayList<>();
    final AtomicInteger refused = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    /** What it says: status, then names and values of headers. */
    interface Speech {
        List<String> answer(HttpExchange exchange, int count);
    }

    Api(Speech speech) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        AtomicInteger count = new AtomicInteger();
        server.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                List<String> answer = speech.answer(exchange, count.incrementAndGet());
                bodies.add(body);
                int status = Integer.parseInt(answer.get(0));
                if (status != 200) {
                    refused.incrementAndGet();
                }
                for (int i = 1; i < answer.size(); i += 2) {
                    exchange.getResponseHeaders().add(answer.get(i), answer.get(i + 1));
                }
                byte[] text = ("answer " + bodies.size()).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, exchange.getRequestMethod().equals("HEAD") ? -1 : text.length);
                if (!exchange.getRequestMethod().equals("HEAD")) {
                    exchange.getResponseBody().write(text);
                }
            }
        });
        server.start();
    }

    /** One that Weir limits. */
    static Api limitedBy(Weir weir) throws IOException {
        return new Api((exchange, count) -> {
            Outcome outcome = weir.check(
                    Map.of("user", "ann", "path", exchange.getRequestURI().getPath()));
            List<String> answer = new CopyOnWriteArrayList<>();
            answer.add(Integer.toString(HttpDecision.status(outcome)));
            HttpDecision.headers(outcome, System.currentTimeMillis(), (name, value) -> {
                answer.add(name);
                answer.add(value);
            });
            return answer;
        });
    }

    HttpRequest.Builder request() {
        return request("/");
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path));
    }

    int answered() {
        return bodies.size();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
