package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("io")
class CheckTest {
    private static final String YAML = """
            version: 1
            store: memory
            limits:
              - { name: general, per: [user], rate: 3/min, warn: 60% }
              - { name: tokens, per: [user], rate: 1000/day, algorithm: fixed-window, cost: tokens }
              - { name: slots, per: [user], rate: 2, algorithm: concurrency }
              - { name: watched, per: [user], rate: 1/hour, shadow: true }
            """;
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.yaml(YAML, options -> options.withStore(FixedClockStore.URI));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void check_allowed_hasTheHeadersAndTheDocument() {
        long before = now();
        HttpResponse<String> response = server.check("{\"user\":\"allowed\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("X-RateLimit-Limit")).hasValue("3");
        assertThat(response.headers().firstValue("X-RateLimit-Remaining")).hasValue("2");
        assertThat(Long.parseLong(
                        response.headers().firstValue("X-RateLimit-Reset").orElseThrow()))
                .isBetween(before, now() + 21);
        assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"general\";q=3;w=60");
        assertThat(response.headers().firstValue("RateLimit").orElseThrow()).isEqualTo("\"general\";r=2;t=20");
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        JsonNode body = json(response);
        assertThat(body.get("allowed").asBoolean()).isTrue();
        assertThat(body.get("limit").asText()).isEqualTo("general");
        assertThat(body.get("scope").asText()).isEqualTo("user");
        assertThat(body.get("remaining").asLong()).isEqualTo(2);
        assertThat(body.get("capacity").asLong()).isEqualTo(3);
        assertThat(body.get("limits")).hasSize(2);
        assertThat(body.get("limits").get(0).get("window_secs").asLong()).isEqualTo(60);
        assertThat(body.get("limits").get(1).get("shadow").asBoolean()).isTrue();
        assertThat(body.get("details").get("bucket_id_type").asText()).isEqualTo("user");
    }

    @Test
    void check_withAnEmptyValue_isOneWithoutTheAttribute() {
        String yaml = """
                limits:
                  - { name: members, match: { path: /members }, per: [user], rate: 3/min, on-missing: deny }
                  - { name: anyone, match: { path: /open }, per: ["user|ip"], rate: 3/min }
                """;
        try (TestServer own = TestServer.yaml(yaml, options -> options.withStore("memory"))) {
            HttpResponse<String> refused = own.check("{\"user\":\"\",\"path\":\"/members\"}");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(json(refused).get("missing").get(0).asText()).isEqualTo("user");

            HttpResponse<String> open = own.check("{\"user\":\"\",\"ip\":\"192.0.2.1\",\"path\":\"/open\"}");
            assertThat(json(open).get("scope").asText()).isEqualTo("ip");
        }
    }

    @Test
    void check_denied_isA429ThatSaysWhen() {
        for (int i = 0; i < 3; i++) {
            assertThat(server.check("{\"user\":\"denied\"}").statusCode()).isEqualTo(200);
        }
        HttpResponse<String> response = server.check("{\"user\":\"denied\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        JsonNode body = json(response);
        assertThat(body.get("allowed").asBoolean()).isFalse();
        assertThat(body.get("reason").asText()).isEqualTo("limited");
        assertThat(body.get("error").asText()).isEqualTo("rate_limited");
        assertThat(body.get("message").asText()).contains("general");
        assertThat(body.get("retry_after_ms").asLong()).isBetween(19_000L, 20_000L);
        assertThat(body.get("retry_after_secs").asLong()).isEqualTo(20);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("20");
        assertThat(body.get("details").get("limit").asLong()).isEqualTo(3);
    }

    @Test
    void check_beyondTheMark_warnsOnce() {
        assertThat(server.check("{\"user\":\"warned\"}").headers().firstValue("X-RateLimit-Warning"))
                .isEmpty();
        HttpResponse<String> second = server.check("{\"user\":\"warned\"}");

        assertThat(second.headers().firstValue("X-RateLimit-Warning")).hasValue("\"general\";r=1;q=3");
        assertThat(json(second).get("warnings").get(0).get("name").asText()).isEqualTo("general");
        assertThat(server.check("{\"user\":\"warned\"}").headers().firstValue("X-RateLimit-Warning"))
                .isEmpty();
    }

    @Test
    void check_aboveTheCapacity_isImpossible() {
        HttpResponse<String> response =
                server.post("/v1/check", "{\"attributes\":{\"user\":\"big\"},\"costs\":{\"general\":4}}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(json(response).get("reason").asText()).isEqualTo("impossible");
        assertThat(json(response).get("retry_after_ms").isNull()).isTrue();
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void check_thatNoLimitApplesTo_isAllowedWithoutHeaders() {
        HttpResponse<String> response = server.check("{\"nobody\":\"x\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json(response).get("allowed").asBoolean()).isTrue();
        assertThat(response.headers().firstValue("X-RateLimit-Limit")).isEmpty();
    }

    @Test
    void peek_spendsNothingAndIsAlways200() {
        for (int i = 0; i < 10; i++) {
            assertThat(server.post("/v1/peek", "{\"attributes\":{\"user\":\"peeked\"}}")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(json(server.check("{\"user\":\"peeked\"}")).get("remaining").asLong())
                .isEqualTo(2);
        server.check("{\"user\":\"peeked\"}");
        server.check("{\"user\":\"peeked\"}");
        HttpResponse<String> peeked = server.post("/v1/peek", "{\"attributes\":{\"user\":\"peeked\"}}");
        assertThat(peeked.statusCode()).isEqualTo(200);
        assertThat(json(peeked).get("allowed").asBoolean()).isFalse();
    }

    @Test
    void check_fiftyInParallel_admitsExactlyTheLimit() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                calls.add(() -> server.check("{\"user\":\"crowd\"}").statusCode());
            }
            int admitted = 0;
            for (Future<Integer> call : threads.invokeAll(calls)) {
                admitted += call.get() == 200 ? 1 : 0;
            }
            assertThat(admitted).isEqualTo(3);
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | attributes",
                "{\"attributes\":{},\"atributes\":1} | atributes",
                "{\"attributes\":[]} | attributes",
                "{\"attributes\":{\"user\":null}} | attributes.user",
                "{\"attributes\":{\"user\":[1]}} | attributes.user",
                "{\"attributes\":{\"user\":{\"a\":1}}} | attributes.user",
                "{\"attributes\":{\"user\":1.5}} | attributes.user",
                "{\"attributes\":{\"user\":\"a\",\"user\":\"b\"}} | attributes.user",
                "{\"attributes\":{},\"attributes\":{}} | attributes",
                "{\"attributes\":{\"user\":\"bad\"},\"cost\":0} | cost",
                "{\"attributes\":{\"user\":\"bad\"},\"cost\":-1} | cost",
                "{\"attributes\":{\"user\":\"bad\"},\"cost\":1.5} | cost",
                "{\"attributes\":{\"user\":\"bad\"},\"cost\":\"1\"} | cost",
                "{\"attributes\":{\"user\":\"bad\"},\"cost\":99999999999999999999999} | cost",
                "{\"attributes\":{\"user\":\"bad\"},\"costs\":{\"general\":0}} | costs.general",
                "{\"attributes\":{\"user\":\"bad\"},\"costs\":{\"nothing\":1}} | costs",
                "{\"attributes\":{\"user\":\"bad\"},\"costs\":5} | costs",
                "{\"attributes\":{\"user\":\"bad\",\"tokens\":\"many\"}} | attributes.tokens",
                "{\"attributes\":{\"user\":\"bad\"},\"ttl\":\"5m\"} | ttl",
            })
    void check_badField_is400NamesItAndSpendsNothing(String body, String field) {
        HttpResponse<String> response = server.post("/v1/check", body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = json(response);
        assertThat(problem.get("field").asText()).isEqualTo(field);
        assertThat(problem.get("status").asInt()).isEqualTo(400);
        assertThat(problem.get("title").asText()).isEqualTo("Bad Request");
        assertThat(problem.get("detail").asText()).isNotEmpty();
        assertThat(json(server.post("/v1/peek", "{\"attributes\":{\"user\":\"bad\"}}"))
                        .get("limits")
                        .get(0)
                        .get("remaining")
                        .asLong())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"[1]", "nonsense", "{\"attributes\":", "``", "{} {}", "{\"a\":\u0001}"})
    void check_thatIsNoJson_is400(String body) {
        HttpResponse<String> response = server.post("/v1/check", body == null ? "" : body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).get("error").asText()).isEqualTo("bad_request");
    }

    @Test
    void reservation_isSettledOnce() {
        long before = now();
        HttpResponse<String> reserved =
                server.post("/v1/reservations", "{\"attributes\":{\"user\":\"r\",\"tokens\":400},\"ttl\":\"1m\"}");
        assertThat(reserved.statusCode()).as(reserved.body()).isEqualTo(201);
        JsonNode body = json(reserved);
        String id = body.get("id").asText();
        assertThat(body.get("expires_at").asLong()).isBetween(before + 60, now() + 61);

        String settle = "/v1/reservations/" + id + "/settle";
        assertThat(server.post(settle, "{\"costs\":{\"tokens\":150}}").statusCode())
                .isEqualTo(200);
        assertThat(server.post(settle, "{\"costs\":{\"tokens\":150}}").statusCode())
                .isEqualTo(409);
        assertThat(remaining("r", "tokens")).isEqualTo(850);
        assertThat(server.send("DELETE", "/v1/reservations/" + id, null).statusCode())
                .isEqualTo(204);
        assertThat(remaining("r", "tokens")).isEqualTo(850);
    }

    @Test
    void reservation_cancelled_givesAllBackAndMayBeRepeated() {
        String id = json(server.post("/v1/reservations", "{\"attributes\":{\"user\":\"c\",\"tokens\":400}}"))
                .get("id")
                .asText();
        assertThat(remaining("c", "tokens")).isEqualTo(600);
        assertThat(server.send("DELETE", "/v1/reservations/" + id, null).statusCode())
                .isEqualTo(204);
        assertThat(server.send("DELETE", "/v1/reservations/" + id, null).statusCode())
                .isEqualTo(204);
        assertThat(remaining("c", "tokens")).isEqualTo(1000);
    }

    @Test
    void reservation_beyondTheBudget_isDenied() {
        server.post("/v1/reservations", "{\"attributes\":{\"user\":\"d\",\"tokens\":800}}");
        HttpResponse<String> second =
                server.post("/v1/reservations", "{\"attributes\":{\"user\":\"d\",\"tokens\":800}}");
        assertThat(second.statusCode()).isEqualTo(429);
        assertThat(json(second).has("id")).isFalse();
    }

    @Test
    void ttl_longerThanTheLongest_is400_andNamesTheBound() {
        String reserve = "{\"attributes\":{\"user\":\"long\",\"tokens\":1},\"ttl\":\"61m\"}";
        for (HttpResponse<String> refused : List.of(
                server.post("/v1/reservations", reserve),
                server.post("/v1/leases", reserve),
                server.send("PUT", "/v1/leases/none", "{\"ttl\":\"7d\"}"),
                server.send("PUT", "/v1/reservations/none", "{\"ttl\":\"2h\"}"))) {
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("\"ttl\"", "at most 1h", "holds.longest-");
        }
        assertThat(server.post("/v1/reservations", reserve.replace("61m", "60m"))
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void reservation_thatNeverWas_is404ToSettle() {
        assertThat(server.post("/v1/reservations/nothing/settle", "{\"costs\":{}}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.post("/v1/reservations/nothing/settle", "{\"costs\":{\"what\":1}}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(server.post("/v1/reservations", "{\"attributes\":{},\"ttl\":\"soon\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void reservation_isProlongedWhileItIsOpen() {
        HttpResponse<String> held =
                server.post("/v1/reservations", "{\"attributes\":{\"user\":\"p\",\"tokens\":400},\"ttl\":\"1m\"}");
        String path = "/v1/reservations/" + json(held).get("id").asText();
        HttpResponse<String> longer = server.send("PUT", path, "{\"ttl\":\"1h\"}");
        assertThat(longer.statusCode()).isEqualTo(200);
        assertThat(json(longer).get("id")).isEqualTo(json(held).get("id"));
        assertThat(json(longer).get("expires_at").asLong()
                        - json(held).get("expires_at").asLong())
                .isBetween(59 * 60L, 61 * 60L);
        assertThat(server.send("PUT", path, null).statusCode()).isEqualTo(200);
        assertThat(server.send("PUT", path, "{\"ttl\":\"8d\"}").statusCode()).isEqualTo(400);
        assertThat(server.send("PUT", path, "{\"tttl\":\"1m\"}").statusCode()).isEqualTo(400);
        assertThat(server.post(path + "/settle", "{\"costs\":{}}").statusCode()).isEqualTo(200);
        HttpResponse<String> closed = server.send("PUT", path, null);
        assertThat(closed.statusCode()).isEqualTo(404);
        assertThat(closed.body()).contains("this reservation is not open");
        assertThat(server.send("PUT", "/v1/reservations/nothing", null).statusCode())
                .isEqualTo(404);
    }

    @Test
    void leases_areAsManyAsThereAreSlots() {
        String body = "{\"attributes\":{\"user\":\"l\"}}";
        String first = json(server.post("/v1/leases", body)).get("id").asText();
        assertThat(server.post("/v1/leases", body).statusCode()).isEqualTo(201);
        HttpResponse<String> third = server.post("/v1/leases", body);
        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(json(third).get("limit").asText()).isEqualTo("slots");

        assertThat(server.send("PUT", "/v1/leases/" + first, "{\"ttl\":\"2m\"}").statusCode())
                .isEqualTo(200);
        assertThat(server.send("PUT", "/v1/leases/" + first, null).statusCode()).isEqualTo(200);
        assertThat(server.send("DELETE", "/v1/leases/" + first, null).statusCode())
                .isEqualTo(204);
        assertThat(server.send("DELETE", "/v1/leases/" + first, null).statusCode())
                .isEqualTo(204);
        assertThat(server.send("PUT", "/v1/leases/" + first, null).statusCode()).isEqualTo(404);
        assertThat(server.post("/v1/leases", body).statusCode()).isEqualTo(201);
    }

    private static long remaining(String user, String limit) {
        for (JsonNode known : json(server.get("/api/rate-limits?user=" + user)).get("limits")) {
            if (known.get("name").asText().equals(limit)) {
                return known.get("remaining").asLong();
            }
        }
        throw new AssertionError("no limit " + limit);
    }

    private static long now() {
        return System.currentTimeMillis() / 1000;
    }

    @Test
    void classes_areTold_underTheNamesThatTheConfigurationGivesThem() {
        try (TestServer classes = TestServer.yaml("""
                version: 1
                classify:
                  - { set: weight, from: action, values: { heavy: [submit] }, default: light }
                  - { set: limit, from: action, values: { heavy: [submit] } }
                limits: [{ name: all, per: [], rate: 10/day }]
                """)) {
            HttpResponse<String> answer = classes.check("{\"action\":\"submit\"}");
            assertThat(json(answer).get("weight").asText()).isEqualTo("heavy");
            assertThat(json(answer).get("limit").asText()).isEqualTo("all");
            assertThat(answer.body().split("\"limit\":\"")).hasSize(2);
        }
    }
}
