package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.fixture.TestTimeouts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * An application behind Traefik's {@code ForwardAuth}; the configuration is the guide's. No registry has Traefik, so
 * {@link Traefik} does what its documentation and source describe, with real connections.
 */
@Tag("io")
class TraefikTest {
    @Test
    void application_isLimited() throws Exception {
        try (GatewaySite site = new GatewaySite();
                Traefik traefik = new Traefik(site.guide("traefik.md", "yaml traefik"))) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> allowed = GatewaySite.get(traefik.port(), "/shop/?" + "x".repeat(i));
                assertThat(allowed.statusCode()).as(allowed.body()).isEqualTo(200);
                assertThat(allowed.body()).isEqualTo("welcome to /shop/");
                assertThat(GatewaySite.header(allowed, "X-Received-Remaining"))
                        .as("the application receives the headers")
                        .isEqualTo(Integer.toString(2 - i));
                assertThat(GatewaySite.header(allowed, "X-RateLimit-Remaining"))
                        .as("the client does not")
                        .isEmpty();
            }
            HttpResponse<String> refused = GatewaySite.get(traefik.port(), "/shop/?again");
            GatewaySite.assertRefused(refused);
            assertThat(GatewaySite.header(refused, "Content-Type")).isEqualTo("application/json");
            assertThat(refused.body()).contains("\"allowed\":false");
            assertThat(site.served()).isEqualTo(3);

            HttpResponse<String> free = GatewaySite.get(traefik.port(), "/free");
            assertThat(free.body()).isEqualTo("welcome to /free");
            assertThat(GatewaySite.header(free, "X-Received-Remaining"))
                    .as("what the client claims")
                    .isEmpty();

            site.weir.close();
            assertThat(GatewaySite.get(traefik.port(), "/free").statusCode()).isEqualTo(500);
            assertThat(site.served()).isEqualTo(4);
        }
    }

    /** Traefik's middlewares {@code headers} and {@code forwardAuth}, in front of one service. */
    private static final class Traefik implements AutoCloseable {
        private static final List<String> HOP_HEADERS = List.of(
                "Connection",
                "Keep-Alive",
                "Proxy-Authenticate",
                "Proxy-Authorization",
                "Te",
                "Trailers",
                "Transfer-Encoding",
                "Upgrade");
        /** Headers that a client of Java sets itself. */
        private static final List<String> OF_THE_CLIENT = List.of("Host", "Content-length", "Http2-settings");

        private final HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        private final Map<?, ?> http;
        private final Map<?, ?> forwardAuth;
        private final HttpServer server;

        Traefik(String yaml) throws IOException {
            Map<?, ?> dynamic = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(yaml);
            http = at(dynamic, "http");
            assertThat(at(http, "routers", "shop").get("middlewares")).isEqualTo(List.of("site", "weir"));
            forwardAuth = at(http, "middlewares", "weir", "forwardAuth");
            assertThat(forwardAuth.get("trustForwardHeader")).isEqualTo(false);
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::serve);
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        private void serve(HttpExchange exchange) throws IOException {
            Headers request = new Headers();
            exchange.getRequestHeaders().forEach((name, values) -> request.put(name, List.copyOf(values)));
            at(http, "middlewares", "site", "headers", "customRequestHeaders")
                    .forEach((name, value) -> request.set((String) name, (String) value));

            HttpResponse<byte[]> answer;
            try {
                answer = send(URI.create((String) forwardAuth.get("address")), checkHeaders(exchange, request));
            } catch (IOException e) {
                exchange.sendResponseHeaders(500, -1);
                exchange.close();
                return;
            }
            if (answer.statusCode() < 200 || answer.statusCode() >= 300) {
                pass(exchange, answer);
                return;
            }
            for (String name : strings("authResponseHeaders")) {
                request.remove(name);
                List<String> values = answer.headers().allValues(name);
                if (!values.isEmpty()) {
                    request.put(name, values);
                }
            }
            Map<?, ?> service = at(http, "services", "application", "loadBalancer");
            String url = (String) ((Map<?, ?>) ((List<?>) service.get("servers")).get(0)).get("url");
            pass(exchange, send(URI.create(url + exchange.getRequestURI()), request));
        }

        /** The headers of the check: those of the client that are named, then what Traefik itself knows. */
        private Headers checkHeaders(HttpExchange exchange, Headers request) {
            List<String> named = strings("authRequestHeaders");
            Headers check = new Headers();
            request.forEach((name, values) -> {
                boolean isNamed = named.isEmpty() || named.stream().anyMatch(name::equalsIgnoreCase);
                if (isNamed && HOP_HEADERS.stream().noneMatch(name::equalsIgnoreCase)) {
                    check.put(name, values);
                }
            });
            check.set(
                    "X-Forwarded-For", exchange.getRemoteAddress().getAddress().getHostAddress());
            check.set("X-Forwarded-Method", exchange.getRequestMethod());
            check.set("X-Forwarded-Proto", "http");
            check.set("X-Forwarded-Host", exchange.getRequestHeaders().getFirst("Host"));
            check.set("X-Forwarded-Uri", exchange.getRequestURI().toString());
            return check;
        }

        private HttpResponse<byte[]> send(URI uri, Headers headers) throws IOException {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(TestTimeouts.LONG);
            headers.forEach((name, values) -> {
                if (HOP_HEADERS.stream().noneMatch(name::equalsIgnoreCase)
                        && OF_THE_CLIENT.stream().noneMatch(name::equalsIgnoreCase)) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            try {
                return client.send(request.build(), BodyHandlers.ofByteArray());
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private static void pass(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
            answer.headers().map().forEach((name, values) -> {
                if (HOP_HEADERS.stream().noneMatch(name::equalsIgnoreCase)
                        && !name.equalsIgnoreCase("content-length")) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            exchange.sendResponseHeaders(answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
            exchange.close();
        }

        private List<String> strings(String key) {
            return ((List<?>) forwardAuth.get(key))
                    .stream().map(String.class::cast).toList();
        }

        private static Map<?, ?> at(Map<?, ?> map, String... keys) {
            Map<?, ?> inner = map;
            for (String key : keys) {
                inner = (Map<?, ?>) inner.get(key);
            }
            return inner;
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
