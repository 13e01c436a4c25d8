package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of other sites' pages, in a browser on the machine that runs the server. */
@Tag("io")
class BrowserRequestsTest {
    private static final String EVIL = "https://evil.example";
    private static final String UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

    private static WeirServer server;
    private static TestServer client;

    @BeforeAll
    static void start() {
        client = TestServer.asIs(ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withAdminToken(TestServer.TOKEN)
                .withDrainDelay(java.time.Duration.ZERO));
        server = client.server;
    }

    @AfterAll
    static void stop() {
        client.close();
    }

    @Test
    void checkOfAnotherOrigin_isRefused_andSpendsNothing() throws IOException {
        String body = "{\"attributes\":{\"agent\":\"victim\",\"action\":\"task_submit\"}}";
        String answer = send("POST", "/v1/check", own(), "Origin: " + EVIL + "\r\n", body);

        assertThat(answer).startsWith("HTTP/1.1 403").contains("application/problem+json", "--cors-origin");
        assertThat(answer.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control-");
        assertThat(client.post("/v1/peek", body).body()).contains("\"remaining\":10");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "null",
                "http://localhost:1",
                "http://127.0.0.1",
                "file://",
                "http://127.0.0.1.evil.example",
                "garbage",
            })
    void webSocketOfAnotherOrigin_isRefused(String origin) throws IOException {
        assertThat(send("GET", "/v1/ws", own(), "Origin: " + origin + "\r\n" + UPGRADE, ""))
                .startsWith("HTTP/1.1 403");
    }

    @Test
    void webSocketOfTheSameOrigin_isServed() throws IOException {
        assertThat(send("GET", "/v1/ws", own(), "Origin: http://" + own() + "\r\n" + UPGRADE, ""))
                .startsWith("HTTP/1.1 101");
    }

    @Test
    void adminCallOfAnotherOrigin_isRefused_evenWithTheToken() throws IOException {
        String headers = "Origin: " + EVIL + "\r\nAuthorization: Bearer " + TestServer.TOKEN + "\r\n";

        assertThat(send("PUT", "/api/admin/rate-limits/a1", own(), headers, "{\"limits\":{}}"))
                .startsWith("HTTP/1.1 403");
        assertThat(send("GET", "/api/admin/audit", own(), headers, "")).startsWith("HTTP/1.1 403");
    }

    /** A page's image, script or form has no Origin, but the browser sends its site in another header. */
    @Test
    void forwardAuthAskedByAPageOfAnotherSite_isRefused() throws IOException {
        assertThat(send("GET", "/v1/authorize", own(), "Sec-Fetch-Site: cross-site\r\n", ""))
                .startsWith("HTTP/1.1 403");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:%d",
                "localhost.evil.example",
                "127.0.0.1.nip.io",
                "",
                "::1",
                "[::1].evil.example",
                "localhost:x",
                "[localhost"
            })
    void nameThatIsNotTheServers_isRefused(String host) throws IOException {
        String body = "{\"attributes\":{\"agent\":\"a\"}}";
        for (String path : new String[] {"/v1/check", "/v1/peek"}) {
            assertThat(send("POST", path, host.formatted(server.port()), "", body))
                    .as(path)
                    .startsWith("HTTP/1.1 4")
                    .doesNotContain("\"allowed\"");
        }
        assertThat(send("GET", "/", host.formatted(server.port()), "", "")).startsWith("HTTP/1.1 4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:%d", "127.0.0.1:%d", "[::1]:%d", "127.0.0.1", "localhost."})
    void nameOfThisMachine_isServed(String host) throws IOException {
        String body = "{\"attributes\":{\"agent\":\"a\"}}";
        for (String path : new String[] {"/v1/check", "/v1/peek"}) {
            assertThat(send("POST", path, host.formatted(server.port()), "", body))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void withoutListedOrigins_noAnswerMentionsCors() throws IOException {
        String body = "{\"attributes\":{\"agent\":\"c\"}}";
        String both = send("POST", "/v1/check", own(), "", body)
                + send("GET", "/api/rate-limits?agent=c", own(), "", "")
                + send("OPTIONS", "/v1/check", own(), "Access-Control-Request-Method: POST\r\n", "");

        assertThat(both.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control-");
    }

    @Test
    void listedOrigin_mayUseAndReadTheApi_andNoOther() throws IOException {
        AccessOptions access = new AccessOptions(
                null, false, List.of("https://Shop.example", "http://localhost:3000"), List.of("weir.example"));
        ServerOptions options =
                ServerOptions.of(ConfigurationSource.preset("agent-hub")).withAccess(access);
        try (TestServer open = TestServer.start(options)) {
            String body = "{\"attributes\":{\"agent\":\"c\"}}";
            String[] page = {"Origin", "https://shop.example"};
            for (String path : List.of("/v1/check", "/v1/peek")) {
                HttpResponse<String> answer = open.send("POST", path, body, page);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                        .hasValue("https://shop.example");
                assertThat(answer.headers()
                                .firstValue("Access-Control-Expose-Headers")
                                .orElseThrow())
                        .contains("X-RateLimit-Limit", "RateLimit-Policy", "Retry-After", "X-RateLimit-Warning");
                assertThat(answer.headers().firstValue("Vary")).hasValue("Origin");
            }
            HttpResponse<String> bad = open.send("POST", "/v1/check", "{", page);
            assertThat(bad.statusCode()).isEqualTo(400);
            assertThat(bad.headers().firstValue("Access-Control-Allow-Origin")).hasValue("https://shop.example");
            assertThat(open.send("POST", "/v1/check", body, "Origin", "http://localhost:3001")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(open.send("POST", "/v1/check", body, "Origin", "http://shop.example")
                            .statusCode())
                    .isEqualTo(403);

            HttpResponse<String> preflight = open.send(
                    "OPTIONS",
                    "/v1/leases/x",
                    null,
                    "Origin",
                    "https://shop.example",
                    "Access-Control-Request-Method",
                    "DELETE");
            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin"))
                    .hasValue("https://shop.example");
            assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods"))
                    .hasValue("PUT, DELETE");
            assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers"))
                    .hasValue("Authorization, Content-Type");
            HttpResponse<String> other =
                    open.send("OPTIONS", "/v1/check", null, "Origin", EVIL, "Access-Control-Request-Method", "POST");
            assertThat(other.statusCode()).isEqualTo(405);
            assertThat(other.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control"));

            assertThat(open.raw("GET / HTTP/1.1\r\nHost: weir.example\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "shop.example", "https://shop.example/", "ftp://shop.example", "https://u@h", "null"})
    void originThatIsNone_isRefusedAtTheStart(String origin) {
        assertThatThrownBy(() -> new AccessOptions(null, false, List.of(origin), List.of()))
                .hasMessageContaining("--cors-origin is '" + origin + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://h", "h:80", "", "*", "a b", ".h"})
    void hostThatIsNone_isRefusedAtTheStart(String host) {
        assertThatThrownBy(() -> new AccessOptions(null, false, List.of(), List.of(host)))
                .hasMessageContaining("--allowed-host is '" + host + "'");
    }

    /** A proxy forwards the headers of its client's request, which may come from any page. */
    @Test
    void forwardAuthOfAProxy_isNotHeldToItsClientsOrigin() {
        String yaml = "version: 1\ntrusted-proxies: [127.0.0.1]\nlimits:\n  - { name: a, per: [ip], rate: 9/min }\n";
        try (TestServer proxied = TestServer.yaml(yaml)) {
            assertThat(proxied.send(
                                    "GET",
                                    "/v1/authorize",
                                    null,
                                    "Origin",
                                    EVIL,
                                    "Sec-Fetch-Site",
                                    "cross-site",
                                    "X-Forwarded-For",
                                    "203.0.113.5")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(proxied.send("GET", "/v1/authorize", null, "Origin", EVIL)
                            .statusCode())
                    .isEqualTo(403);
        }
    }

    private static String own() {
        return "127.0.0.1:" + server.port();
    }

    private static String send(String method, String path, String host, String headers, String body)
            throws IOException {
        return client.raw(
                method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "Content-Length: "
                        + body.length() + "\r\n\r\n" + body,
                1);
    }
}
