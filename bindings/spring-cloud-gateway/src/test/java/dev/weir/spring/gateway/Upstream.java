package dev.weir.spring.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.fixture.EdgeVectors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The service behind a gateway. It has a limit of its own, which its responses report, and fails for paths that begin
 * with {@code /orders/fail}.
 */
final class Upstream implements AutoCloseable {
    private final AtomicInteger served = new AtomicInteger();
    private final HttpServer server;

    Upstream() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** The number of requests that reached it. */
    int served() {
        return served.get();
    }

    private void serve(HttpExchange exchange) throws IOException {
        served.incrementAndGet();
        String path = exchange.getRequestURI().getPath();
        String raw = exchange.getRequestURI().getRawPath();
        boolean isProtected = EdgeVectors.isProtected(path) || EdgeVectors.isProtected(raw);
        exchange.getResponseHeaders().set(EdgeVectors.SERVED, isProtected ? "protected" : "other");
        exchange.getResponseHeaders().set("X-RateLimit-Limit", "999");
        byte[] body = ("served " + raw).getBytes(StandardCharsets.UTF_8);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(path.startsWith("/orders/fail") ? 500 : 200, isHead ? -1 : body.length);
        if (!isHead) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
