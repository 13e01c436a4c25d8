package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.engine.config.Presets;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The requirements of the reference systems for a server, over real sockets, on the memory store. */
@Tag("io")
class ServerAcceptanceTest {
    private static final String HEAVY = "{\"agent\":\"%s\",\"channel\":\"http\",\"action\":\"task_submit\"}";

    @Test
    void A5_refusedCall_saysHowLongAndWhichTier_andMayCallOn() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            HttpResponse<String> denied = last(server, HEAVY.formatted("a"), 11);
            assertThat(denied.statusCode()).isEqualTo(429);
            JsonNode body = json(denied);
            assertThat(body.get("error").asText()).isEqualTo("rate_limited");
            assertThat(body.get("tier").asText()).isEqualTo("heavy");
            assertThat(header(denied, "Retry-After"))
                    .isEqualTo(Long.toString(body.get("retry_after_ms").asLong() / 1000));
            assertThat(server.check("{\"agent\":\"a\",\"channel\":\"http\",\"action\":\"ping\"}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void A6_violationsInARow_waitLongerAndLonger() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            last(server, HEAVY.formatted("a"), 10);
            for (long least : new long[] {1_000, 2_000, 5_000, 10_000, 30_000, 30_000}) {
                long wait = json(server.check(HEAVY.formatted("a")))
                        .get("retry_after_ms")
                        .asLong();
                assertThat(wait).isGreaterThanOrEqualTo(least);
                assertThat(wait % 1000).isZero();
            }
        }
    }

    @Test
    void A7_warning_isAHeaderOfTheCallThatCrossesTheMark() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            for (int call = 1; call <= 10; call++) {
                HttpResponse<String> response = server.check(HEAVY.formatted("a"));
                assertThat(response.headers().firstValue("X-RateLimit-Warning").isPresent())
                        .isEqualTo(call == 8);
            }
        }
    }

    @Test
    void A11_everyAdminEndpoint_needsTheToken() {
        Map<String, String> calls = Map.of(
                "GET ",
                "",
                "PUT /defaults",
                "{\"limits\":{}}",
                "PUT /a",
                "{\"limits\":{}}",
                "DELETE /a",
                "",
                "GET /whitelist",
                "",
                "PUT /whitelist",
                "{\"agents\":[]}",
                "POST /whitelist",
                "{\"agent\":\"c\"}",
                "DELETE /whitelist/c",
                "",
                "POST /reset",
                "{\"attributes\":{\"agent\":\"a\"}}");
        calls.forEach((call, body) -> {
            // One server for each, because ten wrong tokens block an address.
            try (TestServer server = TestServer.preset("agent-hub")) {
                String method = call.substring(0, call.indexOf(' '));
                String path = "/api/admin/rate-limits" + call.substring(call.indexOf(' ') + 1);
                assertThat(server.send(method, path, body).statusCode())
                        .as(call)
                        .isEqualTo(401);
                assertThat(server.send(method, path, body, "Authorization", "Bearer wrong-token")
                                .statusCode())
                        .as(call)
                        .isEqualTo(401);
                assertThat(server.admin(method, path, body).statusCode())
                        .as(call)
                        .isBetween(200, 204);
            }
        });
    }

    @Test
    void A15_withoutAnAgent_theAddressIsLimited() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            String register = "{\"ip\":\"203.0.113.9\",\"channel\":\"http\",\"path\":\"/api/onboard/register\"}";
            assertThat(last(server, register, 5).statusCode()).isEqualTo(200);
            assertThat(json(server.check(register)).get("limit").asText()).isEqualTo("register");
        }
    }

    @Test
    void A17_firstRequestsAtOnce_getExactlyTheLimit() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            assertThat(admittedOf50(server, HEAVY.formatted("first"))).isEqualTo(10);
        }
    }

    @Test
    void B6_headers_tellOfEveryLayer_andARefusalSpendsNothing() {
        try (TestServer server = TestServer.preset("ai-saas")) {
            String general =
                    "{\"ip\":\"203.0.113.7\",\"user\":\"u\",\"plan\":\"free\",\"path\":\"/api/x\",\"method\":\"GET\"}";
            HttpResponse<String> allowed = last(server, general, 60);
            assertThat(header(allowed, "X-RateLimit-Limit")).isEqualTo("60");
            assertThat(header(allowed, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(Long.parseLong(header(allowed, "X-RateLimit-Reset")))
                    .isGreaterThan(System.currentTimeMillis() / 1000);
            assertThat(header(allowed, "RateLimit-Policy"))
                    .contains("\"global\";q=10000;w=60", "\"ip\";q=100;w=60", "\"general\";q=60;w=60");
            assertThat(header(allowed, "RateLimit")).contains("\"ip\";r=40;t=", "\"general\";r=0;t=");
            HttpResponse<String> denied = server.check(general);
            assertThat(json(denied).get("scope").asText()).isEqualTo("user");
            assertThat(json(denied).get("retry_after_secs").asLong()).isEqualTo(1);
            assertThat(json(denied).get("message").asText()).isNotEmpty();
            // A refusal has spent nothing of the address.
            assertThat(header(server.check(general), "RateLimit")).contains("\"ip\";r=40;t=");
        }
    }

    @Test
    void B7_tokens_areReservedSettledAndNeverOversold() {
        try (TestServer server = TestServer.preset("ai-saas")) {
            String body = "{\"attributes\":{\"user\":\"u\",\"plan\":\"free\"},\"costs\":{\"ai_tokens\":%d}}";
            JsonNode budget = json(server.post("/v1/peek", body.formatted(1)));
            long all = limit(budget, "ai_tokens").get("capacity").asLong();
            JsonNode reserved = json(server.post("/v1/reservations", body.formatted(all)));
            assertThat(server.post("/v1/reservations", body.formatted(1)).statusCode())
                    .isEqualTo(429);
            String path = "/v1/reservations/" + reserved.get("id").asText();
            String actual = "{\"costs\":{\"ai_tokens\":" + (all - 500) + "}}";
            assertThat(server.post(path + "/settle", actual).statusCode()).isEqualTo(200);
            assertThat(server.post(path + "/settle", actual).statusCode()).isEqualTo(409);
            assertThat(server.post("/v1/reservations", body.formatted(501)).statusCode())
                    .isEqualTo(429);
            JsonNode rest = json(server.post("/v1/reservations", body.formatted(500)));
            String second = "/v1/reservations/" + rest.get("id").asText();
            assertThat(server.send("DELETE", second, null).statusCode()).isEqualTo(204);
            assertThat(server.send("DELETE", second, null).statusCode()).isEqualTo(204);
        }
    }

    @Test
    void B8_connections_areLeasesOfThePlan() {
        try (TestServer server = TestServer.preset("ai-saas")) {
            String body = "{\"attributes\":{\"user\":\"u\",\"plan\":\"free\"},\"ttl\":\"30s\"}";
            HttpResponse<String> first = server.post("/v1/leases", body);
            assertThat(first.statusCode()).isEqualTo(201);
            while (server.post("/v1/leases", body).statusCode() == 201) {
                // Repeats until all connections of the plan are held.
            }
            String path = "/v1/leases/" + json(first).get("id").asText();
            assertThat(server.send("PUT", path, null).statusCode()).isEqualTo(200);
            assertThat(server.send("DELETE", path, null).statusCode()).isEqualTo(204);
            assertThat(server.send("DELETE", path, null).statusCode()).isEqualTo(204);
            assertThat(server.post("/v1/leases", body).statusCode()).isEqualTo(201);
        }
    }

    @Test
    void B12_storeThatIsGone_deniesFor60Seconds() {
        ServerOptions gone =
                ServerOptions.of(ConfigurationSource.preset("ai-saas")).withStore(DelayedStore.HASTY_URI);
        try (TestServer server = TestServer.start(gone)) {
            HttpResponse<String> denied = server.check("{\"user\":\"u\",\"plan\":\"free\",\"path\":\"/api/x\"}");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(header(denied, "Retry-After")).isEqualTo("60");
            assertThat(json(denied).get("message").asText()).isEqualTo("Rate limiter temporarily unavailable");
            await().untilAsserted(() ->
                    assertThat(server.get("/metrics").body()).contains("weir_decisions_total{outcome=\"unavailable"));
        }
    }

    @Test
    void B14_limitOfZero_isNeverWorthWaitingFor() {
        try (TestServer server = TestServer.yaml("version: 1\nlimits: [{ name: no, per: [user], rate: 0/hour }]\n")) {
            HttpResponse<String> denied = server.check("{\"user\":\"u\"}");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(json(denied).get("reason").asText()).isEqualTo("impossible");
            assertThat(json(denied).get("retry_after_ms").isNull()).isTrue();
            assertThat(denied.headers().firstValue("Retry-After")).isEmpty();
        }
    }

    @Test
    void C6_customer_isRefusedWithAWait() {
        try (TestServer server = TestServer.start(
                ServerOptions.of(ConfigurationSource.preset("credential-api")).withStore(FixedClockStore.URI))) {
            HttpResponse<String> denied = last(server, "{\"customer\":\"c\",\"action\":\"credential_exchange\"}", 11);
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(Integer.parseInt(header(denied, "Retry-After"))).isBetween(50, 60);
        }
    }

    @Test
    void D6_answer_saysLimitResetAndKindOfBucket() {
        try (TestServer server = devices()) {
            HttpResponse<String> allowed = server.check(device("d1"));
            assertThat(header(allowed, "X-RateLimit-Limit")).isEqualTo("500");
            assertThat(header(allowed, "X-RateLimit-Remaining")).isEqualTo("499");
            HttpResponse<String> denied = last(server, device("d1"), 500);
            assertThat(denied.statusCode()).isEqualTo(429);
            JsonNode body = json(denied);
            assertThat(body.get("error").asText()).isEqualTo("rate_limited");
            assertThat(body.get("details").get("limit").asLong()).isEqualTo(500);
            assertThat(body.get("details").get("reset").asText()).isEqualTo(header(denied, "X-RateLimit-Reset"));
            assertThat(body.get("details").get("bucket_id_type").asText()).isEqualTo("device");
            assertThat(Integer.parseInt(header(denied, "Retry-After"))).isBetween(3590, 3600);
            String address = "{\"ip\":\"203.0.113.7\",\"method\":\"POST\",\"path\":\"/v1/ride_summary\"}";
            assertThat(json(server.check(address))
                            .get("details")
                            .get("bucket_id_type")
                            .asText())
                    .isEqualTo("ip");
        }
    }

    @Test
    void D9_parallelRequests_getExactlyTheQuota_whateverWasRead() {
        try (TestServer server = devices()) {
            last(server, device("d"), 480);
            for (int i = 0; i < 30; i++) {
                assertThat(server.post("/v1/peek", "{\"attributes\":" + device("d") + "}")
                                .statusCode())
                        .isEqualTo(200);
            }
            assertThat(admittedOf50(server, device("d"))).isEqualTo(20);
            assertThat(server.check(device("other")).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void E7_costBeyondTheCapacity_isNeverPossible() {
        try (TestServer server = TestServer.start(
                ServerOptions.of(ConfigurationSource.preset("chat")).withStore(FixedClockStore.URI))) {
            String body = "{\"attributes\":{\"tenant\":\"t\",\"user\":\"u\",\"type\":\"Chat\"},\"cost\":%d}";
            assertThat(json(server.post("/v1/check", body.formatted(200)))
                            .get("remaining")
                            .asLong())
                    .isZero();
            HttpResponse<String> denied = server.post("/v1/check", body.formatted(100));
            assertThat(json(denied).get("retry_after_ms").asLong()).isEqualTo(1000L);
            HttpResponse<String> impossible = server.post("/v1/check", body.formatted(201));
            assertThat(json(impossible).get("reason").asText()).isEqualTo("impossible");
            assertThat(json(impossible).get("retry_after_ms").isNull()).isTrue();
        }
    }

    @Test
    void E13_address_isTakenOnlyFromTrustedProxies() {
        String yaml = "version: 1\n%slimits: [{ name: a, per: [ip], rate: 1/hour }]\n";
        try (TestServer trusting = TestServer.yaml(yaml.formatted("trusted-proxies: [127.0.0.1/32]\n"));
                TestServer other = TestServer.yaml(yaml.formatted(""))) {
            for (int i = 1; i < 4; i++) {
                String claimed = "198.51.100." + i;
                assertThat(trusting.send("GET", "/v1/authorize", null, "X-Forwarded-For", claimed)
                                .statusCode())
                        .isEqualTo(200);
                assertThat(other.send("GET", "/v1/authorize", null, "X-Forwarded-For", claimed)
                                .statusCode())
                        .isEqualTo(i == 1 ? 200 : 429);
            }
        }
    }

    private static TestServer devices() {
        return TestServer.yaml(
                Presets.text("device-ingest").replaceFirst("(?m)^enabled:.*$", "enabled: true"),
                options -> options.withStore("memory"));
    }

    private static String device(String name) {
        return "{\"device\":\"" + name + "\",\"method\":\"POST\",\"path\":\"/v1/ride_summary\"}";
    }

    /** The response to the last of so many checks. */
    private static HttpResponse<String> last(TestServer server, String attributes, int count) {
        for (int i = 1; i < count; i++) {
            server.check(attributes);
        }
        return server.check(attributes);
    }

    private static long admittedOf50(TestServer server, String attributes) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.server.url() + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\":" + attributes + "}"))
                .build();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(server.client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
        }
        return answers.stream()
                .filter(answer -> answer.join().statusCode() == 200)
                .count();
    }

    private static JsonNode limit(JsonNode decision, String name) {
        for (JsonNode limit : decision.get("limits")) {
            if (limit.get("name").asText().equals(name)) {
                return limit;
            }
        }
        throw new AssertionError(decision);
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
