package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Readiness;
import dev.weir.fixture.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A site behind a real nginx, limited through {@code auth_request}; the configuration is the guide's. The client claims
 * to be exempt, and claims another identity with each request.
 */
@Tag("io")
class NginxTest {
    private static final Path NGINX = Path.of("/usr/sbin/nginx");
    private static final String YAML = """
            version: 1
            trusted-proxies: [127.0.0.1/32]
            forward-auth: { headers: { site: X-Site } }
            exempt: { plan: [staff] }
            limits:
              - { name: site, match: { path: "/shop/**", site: shop }, per: [ip], rate: 3/min }
            """;

    @TempDir
    Path directory;

    @Test
    void site_isLimited() throws Exception {
        assertThat(NGINX)
                .as("nginx, which ./weir test installs (Debian: apt install nginx-light)")
                .isExecutable();
        Files.createDirectories(directory.resolve("site/shop"));
        Files.writeString(directory.resolve("site/shop/index.html"), "welcome");
        Files.writeString(directory.resolve("site/index.html"), "free");
        try (TestServer server = TestServer.yaml(YAML, options -> options.withStore(FixedClockStore.URI));
                ServerProcess nginx = ServerProcess.start(
                        "nginx", (port, unused) -> command(port, server.server.port()), Readiness.accepts())) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> served = get(nginx.port(), "/shop/index.html");
                assertThat(served.statusCode()).as(served.body()).isEqualTo(200);
                assertThat(served.body()).isEqualTo("welcome");
                assertThat(served.headers().firstValue("X-RateLimit-Remaining")).hasValue(Integer.toString(2 - i));
            }
            HttpResponse<String> refused = get(nginx.port(), "/shop/index.html?again");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("20");
            assertThat(get(nginx.port(), "/").body()).isEqualTo("free");
        }
    }

    private ProcessBuilder command(int port, int weir) throws IOException {
        Files.writeString(directory.resolve("nginx.conf"), configuration(port, weir));
        return new ProcessBuilder(NGINX.toString(), "-e", "stderr", "-p", directory.toString(), "-c", "nginx.conf");
    }

    private String configuration(int port, int weir) {
        String everything = """
                daemon off;
                pid nginx.pid;
                %sevents {}
                http {
                  access_log off;
                  client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
                  server {
                    listen 127.0.0.1:%d;
                    root site;
                    %s
                  }
                }
                """;
        String user = System.getProperty("user.name").equals("root") ? "user root;\n" : "";
        return everything.formatted(user, port, guide(weir));
    }

    /** The block of the guide, with the address of this test's server. */
    private static String guide(int weir) {
        try {
            String guide = Files.readString(Path.of("../docs/server.md"));
            int start = guide.indexOf("```nginx\n") + "```nginx\n".length();
            return guide.substring(start, guide.indexOf("```", start)).replace("127.0.0.1:8080", "127.0.0.1:" + weir);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
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
}
