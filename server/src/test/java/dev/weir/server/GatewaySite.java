package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.fixture.JavaSnippet;
import dev.weir.fixture.TestTimeouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An application behind a gateway and a Weir that the gateway asks, with a client that claims to be exempt, and claims
 * another identity with each request. Three requests a minute are allowed below {@code /shop}; the clock stands still.
 */
final class GatewaySite implements AutoCloseable {
    private static final String YAML = """
            version: 1
            trusted-proxies: [127.0.0.1/32]
            forward-auth: { headers: { site: X-Site } }
            exempt: { plan: [staff] }
            limits:
              - { name: site, match: { path: "/shop/**", site: shop }, per: [ip], rate: 3/min }
            """;

    final TestServer weir = TestServer.yaml(YAML, options -> options.withStore(FixedClockStore.URI));
    private final AtomicInteger served = new AtomicInteger();
    private final HttpServer application;

    GatewaySite() throws IOException {
        application = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        application.createContext("/", this::serve);
        application.start();
    }

    /** The only block of a guide with this fence, with the addresses of this test. */
    String guide(String document, String fence) {
        return guide(document, fence, weir.server.port(), port());
    }

    /** The port of the application. */
    int port() {
        return application.getAddress().getPort();
    }

    /** Like {@link #guideAsWritten}, with timeouts that a busy machine does not exceed. */
    static String guide(String document, String fence, int weir, int application) {
        return guideAsWritten(document, fence, weir, application)
                .replace("250ms", "60s")
                .replace("timeout connect 1s", "timeout connect 60s")
                .replace("timeout server 1s", "timeout server 60s")
                .replace("_timeout 1s", "_timeout 60s")
                .replace("timeout = 2000", "timeout = 60000");
    }

    /** The only block of a guide with this fence, with these ports of Weir and the application. */
    static String guideAsWritten(String document, String fence, int weir, int application) {
        try {
            List<String> blocks = JavaSnippet.blocks(Path.of("../docs").resolve(document), fence);
            assertThat(blocks).as(document + ", " + fence).hasSize(1);
            return blocks.get(0)
                    .replace("127.0.0.1:8080", "127.0.0.1:" + weir)
                    .replace("127.0.0.1:9000", "127.0.0.1:" + application);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of requests that the application received. */
    int served() {
        return served.get();
    }

    /** Sends a request to the gateway, on a new connection. */
    static HttpResponse<String> get(int port, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(TestTimeouts.LONG)
                .header("X-Weir-Plan", "staff")
                .header("X-Weir-Ip", "192.0.2." + path.length())
                .header("X-Site", "other")
                .header("X-Forwarded-For", "192.0.2." + path.length())
                .header("X-Forwarded-Uri", "/free/" + path.length())
                .header("X-Forwarded-Method", "PURGE")
                .header("Forwarded", "for=192.0.2." + path.length())
                .header("X-RateLimit-Remaining", "77")
                .header("Origin", "https://shop.example")
                .build();
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request, BodyHandlers.ofString());
    }

    /** Checks the rate-limit headers of the response to an allowed request. */
    static void assertAllowed(HttpResponse<?> response, int remaining) {
        assertThat(response.statusCode()).as(String.valueOf(response.body())).isEqualTo(200);
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(remaining));
        assertThat(header(response, "X-RateLimit-Reset")).matches("\\d{10}");
        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"site\";q=3;w=60");
        assertThat(header(response, "RateLimit"))
                .isEqualTo("\"site\";r=%d;t=%d".formatted(remaining, 60 - 20 * remaining));
        assertThat(header(response, "Retry-After")).isEmpty();
        assertThat(header(response, "X-RateLimit-Warning")).isEmpty();
    }

    /** Checks the rate-limit headers of the response to a request that the limit refused. */
    static void assertRefused(HttpResponse<?> response) {
        assertThat(response.statusCode()).as(String.valueOf(response.body())).isEqualTo(429);
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(header(response, "X-RateLimit-Reset")).matches("\\d{10}");
        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"site\";q=3;w=60");
        assertThat(header(response, "RateLimit")).isEqualTo("\"site\";r=0;t=60");
        assertThat(header(response, "Retry-After")).isEqualTo("20");
    }

    /** All values of a header; empty if there is none. */
    static String header(HttpResponse<?> response, String name) {
        return String.join(" | ", response.headers().allValues(name));
    }

    private void serve(HttpExchange exchange) throws IOException {
        served.incrementAndGet();
        String remaining = exchange.getRequestHeaders().getFirst("X-RateLimit-Remaining");
        if (remaining != null) {
            exchange.getResponseHeaders().set("X-Received-Remaining", remaining);
        }
        byte[] body = ("welcome to " + exchange.getRequestURI().getPath()).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        application.stop(0);
        weir.close();
    }
}
