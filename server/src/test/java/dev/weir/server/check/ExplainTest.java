package dev.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.server.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a request would be decided, and why. */
@Tag("io")
class ExplainTest {
    private static final String YAML = """
            version: 1
            defaults: { channel: http }
            classify:
              - { set: tier, from: action, values: { heavy: [task_submit] }, default: normal }
            limits:
              - { name: agent, per: [agent, channel], by: tier, rate: { heavy: 2/day, default: 9/day } }
              - { name: api, match: { path: "/api/**" }, per: [ip], rate: 5/day }
              - { name: user, per: [user], rate: 5/day }
              - { name: tokens, per: [agent], rate: 100/day, cost: tokens }
              - { name: open, per: [agent], algorithm: concurrency, rate: 3 }
            exempt: { agent: [root] }
            """;

    private final TestServer server = TestServer.yaml(YAML);

    @AfterEach
    void close() {
        server.close();
    }

    private JsonNode explain(String attributes) {
        var response = server.post("/v1/explain", "{\"attributes\":" + attributes + "}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestServer.json(response);
    }

    @Test
    void explanation_namesTheLimitsThatApply_andWhyOthersDoNot() {
        JsonNode first = explain("{\"agent\":\"a1\",\"action\":\"task_submit\",\"path\":\"/x\"}");
        assertThat(first.get("attributes").toString())
                .isEqualTo("{\"action\":\"task_submit\",\"agent\":\"a1\",\"channel\":\"http\",\"path\":\"/x\","
                        + "\"tier\":\"heavy\"}");
        assertThat(first.get("matched").toString())
                .isEqualTo("[{\"limit\":\"agent\",\"key_by\":[\"agent\",\"channel\"],\"row\":\"heavy\","
                        + "\"capacity\":2,\"remaining\":2,\"allowed\":true,\"shadow\":false,\"override\":null}]");
        assertThat(first.get("skipped").findValuesAsText("limit")).containsExactly("api", "user", "tokens", "open");
        assertThat(first.get("skipped").findValuesAsText("why"))
                .containsExactly(
                        "match: path must be /api/**, and is '/x'",
                        "it is per user, and the request lacks user",
                        "the request has no cost for it: it lacks tokens",
                        "it counts slots, which leases take and checks do not");
        assertThat(first.get("exempt").isNull()).isTrue();
        assertThat(first.at("/decision/allowed").asBoolean()).isTrue();
    }

    @Test
    void explanation_spendsNothing_andTellsOfOverridesAndExemptions() {
        String request = "{\"agent\":\"a1\",\"action\":\"task_submit\"}";
        for (int i = 0; i < 5; i++) {
            assertThat(explain(request).at("/decision/allowed").asBoolean()).isTrue();
        }
        server.check(request);
        server.check(request);
        JsonNode used = explain(request);
        assertThat(used.at("/decision/reason").asText()).isEqualTo("limited");
        assertThat(used.at("/matched/0/remaining").asLong()).isZero();
        server.admin("PUT", "/api/admin/rate-limits/agent=a1", "{\"limits\":{\"agent\":{\"heavy\":\"7/day\"}}}");
        assertThat(explain(request).at("/matched/0/override").toString())
                .isEqualTo("{\"subject\":\"agent=a1\",\"rate\":\"7/day\"}");
        JsonNode exempt = explain("{\"agent\":\"root\"}");
        assertThat(exempt.get("exempt").asText()).isEqualTo("agent=root");
        assertThat(exempt.get("matched")).isEmpty();
        assertThat(exempt.get("skipped").findValuesAsText("why")).containsOnly("the request is exempt: agent=root");
        assertThat(server.post("/v1/explain", "{\"attributes\":7}").statusCode())
                .isEqualTo(400);
    }
}
