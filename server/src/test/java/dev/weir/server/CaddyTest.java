package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application behind a real Caddy, limited through {@code forward_auth}; the configuration is the guide's. The
 * client claims to be exempt, and claims another identity with each request.
 */
@Tag("io")
class CaddyTest {
    private static final Path CADDY = Path.of("/usr/bin/caddy");
    private static final String YAML = """
            version: 1
            trusted-proxies: [127.0.0.1/32]
            forward-auth: { headers: { site: X-Site } }
            exempt: { plan: [staff] }
            limits:
              - { name: site, match: { path: "/shop/**", site: shop }, per: [ip], rate: 3/min }
            """;

    private final AtomicInteger served = new AtomicInteger();

    @TempDir
    Path directory;

    @Test
    void application_isLimited() throws Exception {
        assertThat(CADDY)
                .as("Caddy, which ./weir test installs (Debian: apt install caddy)")
                .isExecutable();
        HttpServer application = application();
        int port = freePort();
        try (TestServer server = TestServer.yaml(YAML, options -> options.withStore(FixedClockStore.URI))) {
            Process caddy =
                    caddy(port, server.server.port(), application.getAddress().getPort());
            try {
                await().until(() -> isOpen(port));
                for (int i = 0; i < 3; i++) {
                    HttpResponse<String> answer = get(port, "/shop/?" + "x".repeat(i));
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                    assertThat(answer.body()).isEqualTo("welcome to /shop/");
                    assertThat(answer.headers().firstValue("X-RateLimit-Remaining"))
                            .hasValue(Integer.toString(2 - i));
                }
                HttpResponse<String> refused = get(port, "/shop/?again");
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.headers().firstValue("Retry-After")).hasValue("20");
                assertThat(refused.body()).contains("\"allowed\":false");
                assertThat(served)
                        .as("the application hears of no refused request")
                        .hasValue(3);
                assertThat(get(port, "/free").body()).isEqualTo("welcome to /free");
            } finally {
                caddy.destroy();
                assertThat(caddy.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            application.stop(0);
        }
    }

    private Process caddy(int port, int weir, int application) throws IOException {
        Path file = directory.resolve("Caddyfile");
        Files.writeString(file, """
                {
                    admin off
                    auto_https off
                }
                %s
                """.formatted(guide(port, weir, application)));
        ProcessBuilder caddy = new ProcessBuilder(
                        CADDY.toString(), "run", "--config", file.toString(), "--adapter", "caddyfile")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("caddy.log").toFile());
        caddy.environment().put("HOME", directory.toString());
        caddy.environment().put("XDG_DATA_HOME", directory.toString());
        caddy.environment().put("XDG_CONFIG_HOME", directory.toString());
        return caddy.start();
    }

    /** The block of the guide, with the addresses of this test. */
    private static String guide(int port, int weir, int application) {
        try {
            String guide = Files.readString(Path.of("../docs/server.md"));
            int start = guide.indexOf("```caddy\n") + "```caddy\n".length();
            return guide.substring(start, guide.indexOf("```", start))
                    .replace("example.com", "http://127.0.0.1:" + port)
                    .replace("127.0.0.1:8080", "127.0.0.1:" + weir)
                    .replace("127.0.0.1:9000", "127.0.0.1:" + application);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private HttpServer application() throws IOException {
        HttpServer application = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        application.createContext("/", exchange -> {
            served.incrementAndGet();
            byte[] body = ("welcome to " + exchange.getRequestURI().getPath()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        application.start();
        return application;
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .header("X-Weir-Plan", "staff")
                                .header("X-Weir-Ip", "192.0.2." + path.length())
                                .header("X-Site", "other")
                                .header("X-Forwarded-For", "192.0.2." + path.length())
                                .header("X-Forwarded-Uri", "/free/" + path.length())
                                .header("Forwarded", "for=192.0.2." + path.length())
                                .header("Origin", "https://shop.example")
                                .build(),
                        BodyHandlers.ofString());
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }
}
