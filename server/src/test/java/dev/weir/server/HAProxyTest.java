package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.Readiness;
import dev.weir.fixture.ServerProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application behind a real HAProxy that asks Weir by a script in Lua; script and configuration are the guide's. */
@Tag("io")
class HAProxyTest {
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");

    @Test
    void application_isLimited() throws Exception {
        try (GatewaySite site = new GatewaySite();
                ServerProcess haproxy = haproxy(site.guide("haproxy.md", "haproxy"))) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> allowed = GatewaySite.get(haproxy.port(), "/shop/?" + "x".repeat(i));
                GatewaySite.assertAllowed(allowed, 2 - i);
                assertThat(allowed.body()).isEqualTo("welcome to /shop/");
            }
            HttpResponse<String> refused = GatewaySite.get(haproxy.port(), "/shop/?again");
            GatewaySite.assertRefused(refused);
            assertThat(GatewaySite.header(refused, "Content-Type")).isEqualTo("application/json");
            assertThat(refused.body()).contains("\"allowed\":false");
            assertThat(site.served()).isEqualTo(3);
            HttpResponse<String> free = GatewaySite.get(haproxy.port(), "/free");
            assertThat(free.body()).isEqualTo("welcome to /free");
            assertThat(GatewaySite.header(free, "X-RateLimit-Limit")).isEmpty();

            site.weir.close();
            HttpResponse<String> unavailable = GatewaySite.get(haproxy.port(), "/free");
            assertThat(unavailable.statusCode()).isEqualTo(503);
            assertThat(GatewaySite.header(unavailable, "Retry-After")).isEqualTo("1");
            assertThat(site.served()).isEqualTo(4);
        }
    }

    @Test
    void weirThatDoesNotRespond_isAnsweredBy503() throws Exception {
        try (GatewaySite site = new GatewaySite();
                ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerProcess haproxy = haproxy(
                        GatewaySite.guideAsWritten("haproxy.md", "haproxy", silent.getLocalPort(), site.port()))) {
            assertThat(GatewaySite.get(haproxy.port(), "/shop/").statusCode()).isEqualTo(503);
            assertThat(site.served()).isZero();
        }
    }

    @Test
    void scriptThatFails_isAnsweredBy503() throws Exception {
        try (GatewaySite site = new GatewaySite();
                ServerProcess haproxy = haproxy(
                        site.guide("haproxy.md", "haproxy").replace("bind abns@weir", "bind abns@other-weir"))) {
            assertThat(GatewaySite.get(haproxy.port(), "/shop/").statusCode()).isEqualTo(503);
            assertThat(site.served()).isZero();
        }
    }

    /** Starts HAProxy with the script of the guide. */
    static ServerProcess haproxy(String configuration) {
        assertThat(HAPROXY)
                .as("HAProxy, which ./weir test installs (Debian: apt install haproxy)")
                .isExecutable();
        return ServerProcess.start(
                "haproxy",
                (port, own) -> {
                    // The abstract namespace belongs to the machine, not to this test.
                    String address = "abns@weir-" + port;
                    String script = GatewaySite.guide("haproxy.md", "lua", 0, 0).replace("abns@weir", address);
                    Path scriptFile = Files.writeString(own.resolve("weir.lua"), script);
                    Path file = Files.writeString(
                            own.resolve("haproxy.cfg"),
                            configuration
                                    .replace("abns@weir", address)
                                    .replace("/etc/haproxy/weir.lua", scriptFile.toString())
                                    .replace("bind :80\n", "bind 127.0.0.1:" + port + "\n"));
                    return new ProcessBuilder(HAPROXY.toString(), "-db", "-f", file.toString());
                },
                Readiness.accepts());
    }
}
