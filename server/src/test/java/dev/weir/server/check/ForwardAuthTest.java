package dev.weir.server.check;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.FixedClockStore;
import dev.weir.server.TestServer;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("io")
class ForwardAuthTest {
    private static final String YAML = """
            version: 1
            trusted-proxies: [%s]
            forward-auth: { headers: { user: X-User } }
            limits:
              - { name: login, match: { method: POST, path: /login }, per: [ip], rate: 2/min }
              - { name: user, per: [user], rate: 2/min }
            """;

    @Test
    void trustedProxy_speaksForItsClient() {
        try (TestServer server =
                TestServer.yaml(YAML.formatted("127.0.0.1/32"), options -> options.withStore(FixedClockStore.URI))) {
            assertThat(ask(server, "203.0.113.1").statusCode()).isEqualTo(200);
            HttpResponse<String> second = ask(server, "203.0.113.1");
            assertThat(second.headers().firstValue("X-RateLimit-Remaining")).hasValue("0");
            HttpResponse<String> third = ask(server, "203.0.113.1");
            assertThat(third.statusCode()).isEqualTo(429);
            assertThat(third.headers().firstValue("Retry-After")).hasValue("30");
            assertThat(json(third).get("limit").asText()).isEqualTo("login");
            assertThat(ask(server, "203.0.113.2").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void attributes_comeFromHeaders() {
        try (TestServer server =
                TestServer.yaml(YAML.formatted("127.0.0.1/32"), options -> options.withStore(FixedClockStore.URI))) {
            for (int status : new int[] {200, 200, 429}) {
                assertThat(server.send("GET", "/v1/authorize", null, "X-User", "u1")
                                .statusCode())
                        .isEqualTo(status);
            }
            assertThat(server.send("GET", "/v1/authorize", null, "X-User", "u2").statusCode())
                    .isEqualTo(200);
            assertThat(server.send("GET", "/v1/authorize", null, "X-User", "u2", "X-User", "u3")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    /** A name is the same, however it is transmitted. */
    @Test
    void attributesThatAreNotAscii_areThoseOfABody() throws Exception {
        try (TestServer server =
                TestServer.yaml(YAML.formatted("127.0.0.1/32"), options -> options.withStore(FixedClockStore.URI))) {
            String user = new String("j\u00fcrgen".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            assertThat(server.raw("GET /v1/authorize HTTP/1.1\r\nHost: x\r\nX-User: " + user + "\r\n\r\n", 1))
                    .startsWith("HTTP/1.1 200");
            assertThat(json(server.post("/v1/peek", "{\"attributes\":{\"user\":\"j\u00fcrgen\"}}"))
                            .get("limits")
                            .get(0)
                            .get("remaining")
                            .asInt())
                    .isEqualTo(1);
            assertThat(json(server.get("/api/rate-limits?user=j%C3%BCrgen"))
                            .get("limits")
                            .get(0)
                            .get("remaining")
                            .asInt())
                    .isEqualTo(1);
        }
    }

    @Test
    void anybodyElse_isNotBelieved() {
        try (TestServer server = TestServer.yaml(YAML.formatted("10.0.0.0/8"))) {
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> response = server.send("GET", "/v1/authorize", null, "X-User", "u1");
                assertThat(response.headers().firstValue("X-RateLimit-Limit")).isEmpty();
            }
        }
    }

    @Test
    void nginx_hearsAStatusItKnows() {
        try (TestServer server =
                TestServer.yaml(YAML.formatted("127.0.0.1/32"), options -> options.withStore(FixedClockStore.URI))) {
            String[] user = {"X-User", "n"};
            assertThat(server.send("GET", "/v1/authorize/nginx", null, user).statusCode())
                    .isEqualTo(204);
            assertThat(server.send("GET", "/v1/authorize/nginx", null, user)
                            .headers()
                            .firstValue("X-RateLimit-Remaining"))
                    .hasValue("0");
            HttpResponse<String> denied = server.send("GET", "/v1/authorize/nginx", null, user);
            assertThat(denied.statusCode()).isEqualTo(403);
            assertThat(denied.headers().firstValue("X-RateLimit-Status")).hasValue("429");
            assertThat(denied.headers().firstValue("Retry-After")).hasValue("30");
        }
    }

    /** A header that a proxy forwards unchecked is only the client's claim. */
    @ParameterizedTest
    @CsvSource({
        "X-Weir-Agent, dashboard",
        "X-Weir-Ip, 198.51.100.%d",
        "X-Weir-Path, /free/%d",
        "X-Weir-Method, M%d",
        "X-Weir-Host, h%d.example",
        "X-Weir-Channel, c%d",
        "X-Agent, dashboard",
    })
    void headerThatTheConfigurationDoesNotName_setsNoAttribute(String header, String value) {
        String yaml = """
                version: 1
                trusted-proxies: [127.0.0.1/32]
                exempt: { agent: [dashboard] }
                limits:
                  - { name: login, match: { path: /login, method: GET, host: site, channel: http }, per: [ip], rate: 5/min }
                """;
        try (TestServer server = TestServer.yaml(yaml, options -> options.withStore(FixedClockStore.URI))) {
            int served = 0;
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> answer = server.send(
                        "GET",
                        "/v1/authorize",
                        null,
                        "X-Forwarded-For",
                        "203.0.113.9",
                        "X-Forwarded-Method",
                        "GET",
                        "X-Forwarded-Uri",
                        "/login",
                        "X-Forwarded-Host",
                        "site",
                        header,
                        value.formatted(i));
                served += answer.statusCode() == 200 ? 1 : 0;
            }
            assertThat(served).isEqualTo(5);
        }
    }

    /** The proxy's own address is exempt, as is common for its health checks. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "for=_x",
                "for=unknown",
                "for=\"_gazonk\"",
                "garbage",
                "for=203.0.113.9, for=_x",
                "proto=https",
                "for=\"[2001:db8::1\"",
                "",
            })
    void forwardedHeaderThatNamesNoAddress_isNotCountedAsTheProxy(String forwarded) {
        String yaml = """
                version: 1
                trusted-proxies: [127.0.0.1/32]
                exempt: { ip: [127.0.0.1] }
                limits:
                  - { name: site, per: [ip], rate: 5/min }
                """;
        try (TestServer server = TestServer.yaml(yaml, options -> options.withStore(FixedClockStore.URI))) {
            int served = 0;
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> answer = server.send(
                        "GET", "/v1/authorize", null, "X-Forwarded-For", "203.0.113.9", "Forwarded", forwarded);
                served += answer.statusCode() == 200 ? 1 : 0;
            }
            assertThat(served).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "_x", "203.0.113.9,", ",", "fe80::1%eth0", "127.1", "for=203.0.113.9"})
    void clientAddressThatIsNone_isLimitedAsOneUnknownClient_andNeverExempt(String claimed) {
        String yaml = """
                version: 1
                trusted-proxies: [127.0.0.1/32]
                exempt: { ip: [127.0.0.1] }
                limits:
                  - { name: site, per: [ip], rate: 5/min }
                """;
        try (TestServer server = TestServer.yaml(yaml, options -> options.withStore(FixedClockStore.URI))) {
            server.admin("POST", "/api/admin/rate-limits/whitelist", "{\"agent\":\"ip=unknown\"}");
            int served = 0;
            for (int i = 0; i < 20; i++) {
                served += server.send("GET", "/v1/authorize", null, "X-Forwarded-For", claimed)
                                        .statusCode()
                                == 200
                        ? 1
                        : 0;
            }
            assertThat(served).isEqualTo(5);
        }
    }

    private static HttpResponse<String> ask(TestServer server, String client) {
        return server.send(
                "GET",
                "/v1/authorize",
                null,
                "X-Forwarded-For",
                client,
                "X-Forwarded-Method",
                "POST",
                "X-Forwarded-Uri",
                "/login?next=/",
                "X-Forwarded-Host",
                "example.org");
    }
}
