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

/** An application behind a real Caddy that asks Weir; the configurations are the guide's. */
@Tag("io")
class CaddyTest {
    private static final Path CADDY = Path.of("/usr/bin/caddy");

    @Test
    void application_isLimited() throws Exception {
        try (GatewaySite site = new GatewaySite();
                ServerProcess caddy = caddy(site, "caddy")) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> allowed = GatewaySite.get(caddy.port(), "/shop/?" + "x".repeat(i));
                GatewaySite.assertAllowed(allowed, 2 - i);
                assertThat(allowed.body()).isEqualTo("welcome to /shop/");
            }
            assertRefused(site, caddy.port());
            HttpResponse<String> free = GatewaySite.get(caddy.port(), "/free");
            assertThat(free.body()).isEqualTo("welcome to /free");
            assertThat(GatewaySite.header(free, "X-RateLimit-Limit")).isEmpty();

            site.weir.close();
            assertThat(GatewaySite.get(caddy.port(), "/free").statusCode()).isEqualTo(502);
            assertThat(site.served()).isEqualTo(4);
        }
    }

    @Test
    void application_withTheShortConfiguration_isLimited() throws Exception {
        try (GatewaySite site = new GatewaySite();
                ServerProcess caddy = caddy(site, "caddy short")) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> allowed = GatewaySite.get(caddy.port(), "/shop/");
                assertThat(allowed.body()).isEqualTo("welcome to /shop/");
                assertThat(GatewaySite.header(allowed, "X-RateLimit-Limit")).isEmpty();
            }
            assertRefused(site, caddy.port());
            site.weir.close();
            assertThat(GatewaySite.get(caddy.port(), "/free").statusCode()).isEqualTo(502);
        }
    }

    private static void assertRefused(GatewaySite site, int port) throws Exception {
        HttpResponse<String> refused = GatewaySite.get(port, "/shop/?again");
        GatewaySite.assertRefused(refused);
        assertThat(refused.body()).contains("\"allowed\":false");
        assertThat(site.served())
                .as("the application receives no refused request")
                .isEqualTo(3);
    }

    private static ServerProcess caddy(GatewaySite site, String fence) {
        assertThat(CADDY)
                .as("Caddy, which ./weir test installs (Debian: apt install caddy)")
                .isExecutable();
        return ServerProcess.start("caddy", (port, own) -> command(site, fence, port, own), Readiness.accepts());
    }

    private static ProcessBuilder command(GatewaySite site, String fence, int port, Path own) throws IOException {
        String guide = site.guide("caddy.md", fence).replace("example.com", "http://127.0.0.1:" + port);
        Path file = Files.writeString(own.resolve("Caddyfile"), """
                {
                    admin off
                    auto_https off
                }
                """ + guide);
        ProcessBuilder caddy =
                new ProcessBuilder(CADDY.toString(), "run", "--config", file.toString(), "--adapter", "caddyfile");
        caddy.environment().put("HOME", own.toString());
        caddy.environment().put("XDG_DATA_HOME", own.toString());
        caddy.environment().put("XDG_CONFIG_HOME", own.toString());
        return caddy;
    }
}
