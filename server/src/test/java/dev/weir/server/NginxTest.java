package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Readiness;
import dev.weir.fixture.ServerProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A site behind a real nginx, limited through {@code auth_request}; the configuration is the guide's. */
@Tag("io")
class NginxTest {
    private static final Path NGINX = Path.of("/usr/sbin/nginx");

    @TempDir
    Path directory;

    @Test
    void site_isLimited() throws Exception {
        assertThat(NGINX)
                .as("nginx, which ./weir test installs (Debian: apt install nginx-light)")
                .isExecutable();
        Files.createDirectories(directory.resolve("site/shop"));
        Files.createDirectories(directory.resolve("site/closed"));
        Files.writeString(directory.resolve("site/shop/index.html"), "welcome");
        Files.writeString(directory.resolve("site/index.html"), "free");
        try (GatewaySite site = new GatewaySite();
                ServerProcess nginx =
                        ServerProcess.start("nginx", (port, unused) -> command(port, site), Readiness.accepts())) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> served = GatewaySite.get(nginx.port(), "/shop/index.html");
                GatewaySite.assertAllowed(served, 2 - i);
                assertThat(served.body()).isEqualTo("welcome");
            }
            HttpResponse<String> refused = GatewaySite.get(nginx.port(), "/shop/index.html?again");
            GatewaySite.assertRefused(refused);
            assertThat(GatewaySite.header(refused, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(refused.body()).contains("\"status\":429");
            HttpResponse<String> missing = GatewaySite.get(nginx.port(), "/missing");
            assertThat(missing.statusCode()).isEqualTo(404);
            HttpResponse<String> forbidden = GatewaySite.get(nginx.port(), "/closed/");
            assertThat(forbidden.statusCode())
                    .as("nginx refuses to list a directory")
                    .isEqualTo(403);
            HttpResponse<String> free = GatewaySite.get(nginx.port(), "/");
            assertThat(free.body()).isEqualTo("free");
            assertThat(GatewaySite.header(free, "X-RateLimit-Limit")).isEmpty();

            site.weir.close();
            assertThat(GatewaySite.get(nginx.port(), "/shop/index.html").statusCode())
                    .isEqualTo(503);
        }
    }

    private ProcessBuilder command(int port, GatewaySite site) throws IOException {
        Files.writeString(directory.resolve("nginx.conf"), configuration(port, site));
        return new ProcessBuilder(NGINX.toString(), "-e", "stderr", "-p", directory.toString(), "-c", "nginx.conf");
    }

    private static String configuration(int port, GatewaySite site) {
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
        return everything.formatted(user, port, site.guide("nginx.md", "nginx"));
    }
}
