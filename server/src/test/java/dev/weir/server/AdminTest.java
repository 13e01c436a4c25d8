package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("io")
class AdminTest {
    private static final String ROOT = "/api/admin/rate-limits";

    @TempDir
    Path data;

    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.start(
                ServerOptions.of(ConfigurationSource.preset("agent-hub")).withData(data));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void change_isReverted_ifItIsTheLatestOfItsSubject() {
        server.admin("PUT", ROOT + "/a1", "{\"limits\":{\"agent\":{\"light\":\"500/min\"}},\"reason\":\"first\"}");
        server.admin("PUT", ROOT + "/a1", "{\"limits\":{\"agent\":{\"light\":\"900/min\"}}}");
        server.admin("POST", ROOT + "/whitelist", "{\"agent\":\"a2\"}");
        assertThat(capacity("a1")).isEqualTo(900);
        HttpResponse<String> early = revert(1);
        assertThat(early.statusCode()).isEqualTo(409);
        assertThat(early.body()).contains("version 2");
        assertThat(revert(2).statusCode()).isEqualTo(200);
        assertThat(capacity("a1")).isEqualTo(500);
        JsonNode state = json(server.admin("GET", ROOT, null));
        assertThat(state.at("/override_validity/agent=a1/reason").asText()).isEqualTo("first");
        assertThat(revert(3).statusCode()).isEqualTo(200);
        assertThat(json(server.admin("GET", ROOT, null)).get("exempt").toString())
                .doesNotContain("a2");
        JsonNode newest = json(server.admin("GET", "/api/admin/audit?subject=agent=a2", null))
                .get("entries")
                .get(0);
        assertThat(newest.get("change").asText()).isEqualTo("remove_exempt");
        assertThat(revert(99).statusCode()).isEqualTo(404);
        server.admin("POST", ROOT + "/reset", "{\"attributes\":{\"agent\":\"a1\"}}");
        assertThat(revert(6).statusCode()).isEqualTo(409);
    }

    private HttpResponse<String> revert(int version) {
        return server.admin("POST", "/api/admin/audit/" + version + "/revert", null);
    }

    @Test
    void A9_override_isInForceAtOnceAndSurvivesARestart() {
        HttpResponse<String> put =
                server.admin("PUT", ROOT + "/a1", "{\"limits\":{\"agent\":{\"light\":\"500/min\"}}}");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(json(put).get("subject").asText()).isEqualTo("agent=a1");
        assertThat(capacity("a1")).isEqualTo(500);
        assertThat(capacity("a2")).isEqualTo(120);

        server.close();
        start();

        assertThat(capacity("a1")).isEqualTo(500);
        JsonNode state = json(server.admin("GET", ROOT, null));
        assertThat(state.get("overrides")
                        .get("agent=a1")
                        .get("agent")
                        .get("light")
                        .asText())
                .isEqualTo("500/min");
        assertThat(server.admin("DELETE", ROOT + "/agent=a1", null).statusCode())
                .isEqualTo(204);
        assertThat(capacity("a1")).isEqualTo(120);
    }

    @Test
    void defaults_holdForEveryone() {
        assertThat(server.admin("PUT", ROOT + "/defaults", "{\"limits\":{\"agent\":{\"light\":\"240/min\"}}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(capacity("anyone")).isEqualTo(240);
        assertThat(json(server.admin("GET", ROOT, null))
                        .get("defaults")
                        .get("agent")
                        .get("light")
                        .asText())
                .isEqualTo("240/min");
    }

    @Test
    void nobody_isNoSubject() {
        assertBadField("subject", server.admin("PUT", ROOT + "/", "{\"limits\":{\"agent\":{\"light\":\"1/s\"}}}"));
        assertBadField("subject", server.admin("DELETE", ROOT + "/agent=", null));
        assertBadField("agents", server.admin("PUT", ROOT + "/whitelist", "{\"agents\":[\"\"]}"));
        assertThat(json(server.admin("GET", "/api/admin/audit", null)).get("entries"))
                .isEmpty();
    }

    @Test
    void exemptByConfiguration_isRefusedWhereItWasAsked() {
        assertBadField("subject", server.admin("DELETE", ROOT + "/whitelist/dashboard", null));
    }

    private static void assertBadField(String field, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(json(answer).get("field").asText()).isEqualTo(field);
    }

    @Test
    void temporaryChanges_haveAnEndAndAReason() {
        long before = System.currentTimeMillis() / 1000;
        var put = json(server.admin(
                "PUT",
                ROOT + "/a7",
                "{\"limits\":{\"agent\":{\"light\":\"500/min\"}},\"for\":\"1h\",\"reason\":\"incident 7\"}"));
        assertThat(put.get("expires_at").asLong()).isBetween(before + 3600, before + 3700);
        assertThat(put.get("reason").asText()).isEqualTo("incident 7");
        long later = before + 7200;
        assertThat(server.admin("POST", ROOT + "/whitelist", "{\"agent\":\"a8\",\"expires_at\":" + later + "}")
                        .statusCode())
                .isEqualTo(200);
        var state = json(server.admin("GET", ROOT, null));
        assertThat(state.at("/override_validity/agent=a7").toString())
                .isEqualTo("{\"expires_at\":" + put.get("expires_at") + ",\"reason\":\"incident 7\"}");
        assertThat(state.at("/exempt_validity/agent=a8").toString())
                .isEqualTo("{\"expires_at\":" + later + ",\"reason\":null}");
        var audit = json(server.admin("GET", "/api/admin/audit", null)).get("entries");
        assertThat(audit.get(0).get("expires_at").asLong()).isEqualTo(later);
        assertThat(audit.get(1).get("reason").asText()).isEqualTo("incident 7");

        String limits = "{\"limits\":{\"agent\":{\"light\":\"500/min\"}},";
        assertBadField("for", server.admin("PUT", ROOT + "/a7", limits + "\"for\":\"soon\"}"));
        assertBadField("for", server.admin("PUT", ROOT + "/a7", limits + "\"for\":\"0s\"}"));
        assertBadField(
                "for", server.admin("PUT", ROOT + "/a7", limits + "\"for\":\"1h\",\"expires_at\":" + later + "}"));
        assertBadField("expires_at", server.admin("PUT", ROOT + "/a7", limits + "\"expires_at\":1}"));
        assertBadField(
                "reason", server.admin("PUT", ROOT + "/a7", limits + "\"reason\":\"" + "x".repeat(1025) + "\"}"));
    }

    @Test
    void changesForATime_endByThemselves() {
        server.admin("POST", ROOT + "/whitelist", "{\"agent\":\"brief\",\"for\":\"1s\"}");
        await().until(() -> {
            var entry = json(server.admin("GET", "/api/admin/audit", null)).at("/entries/0");
            return entry.get("change").asText().equals("expire_exempt")
                    && entry.get("subject").asText().equals("agent=brief");
        });
        assertThat(texts(server.admin("GET", ROOT + "/whitelist", null))).doesNotContain("brief");
    }

    @Test
    void A10_whitelist_isManagedAtRunTime() {
        assertThat(texts(server.admin("GET", ROOT + "/whitelist", null))).containsExactly("dashboard");
        server.admin("PUT", ROOT + "/whitelist", "{\"agents\":[\"a\",\"b\"]}");
        server.admin("POST", ROOT + "/whitelist", "{\"agent\":\"c\"}");
        assertThat(texts(server.admin("GET", ROOT + "/whitelist", null))).containsExactly("dashboard", "a", "b", "c");
        assertThat(server.admin("DELETE", ROOT + "/whitelist/b", null).statusCode())
                .isEqualTo(204);
        for (int i = 0; i < 20; i++) {
            assertThat(server.check("{\"agent\":\"c\",\"action\":\"task_submit\"}")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(server.admin("DELETE", ROOT + "/whitelist/dashboard", null).statusCode())
                .isEqualTo(400);
    }

    @Test
    void reset_makesWholeWhatMatches() {
        for (int i = 0; i < 11; i++) {
            server.check("{\"agent\":\"tired\",\"action\":\"task_submit\"}");
        }
        assertThat(server.check("{\"agent\":\"tired\",\"action\":\"task_submit\"}")
                        .statusCode())
                .isEqualTo(429);
        HttpResponse<String> reset = server.admin(
                "POST",
                ROOT + "/reset",
                "{\"attributes\":{\"agent\":\"tired\",\"channel\":\"http\",\"tier\":\"heavy\"}}");
        assertThat(json(reset).get("reset").asInt()).isEqualTo(1);
        assertThat(server.check("{\"agent\":\"tired\",\"action\":\"task_submit\"}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void reset_ofAnAgent_resetsAllItsBudgets_andSaysWhich() {
        for (String action : List.of("task_submit", "ping", "message")) {
            for (String channel : List.of("http", "ws")) {
                String check = "{\"agent\":\"rs1\",\"channel\":\"" + channel + "\",\"action\":\"" + action + "\"}";
                int status = 200;
                for (int i = 0; i < 1_000 && status == 200; i++) {
                    status = server.check(check).statusCode();
                }
                assertThat(status).as(check).isEqualTo(429);
            }
        }
        JsonNode reset = json(server.admin("POST", ROOT + "/reset", "{\"attributes\":{\"agent\":\"rs1\"}}"));
        assertThat(reset.get("reset").asInt()).isEqualTo(9);
        assertThat(reset.get("budgets")).hasSize(9).allSatisfy(budget -> {
            assertThat(budget.get("limit").asText()).isEqualTo("agent");
            assertThat(budget.at("/key/agent").asText()).isEqualTo("rs1");
            assertThat(budget.get("slots").asBoolean()).isFalse();
        });
        assertThat(reset.get("incomplete")).isEmpty();
        for (String action : List.of("task_submit", "ping", "message")) {
            for (String channel : List.of("http", "ws")) {
                assertThat(server.check("{\"agent\":\"rs1\",\"channel\":\"" + channel + "\",\"action\":\"" + action
                                        + "\"}")
                                .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void reset_ofAnEmptyValue_isRefused() {
        HttpResponse<String> reset = server.admin("POST", ROOT + "/reset", "{\"attributes\":{\"agent\":\"\"}}");
        assertThat(reset.statusCode()).isEqualTo(400);
        assertThat(json(reset).get("field").asText()).isEqualTo("attributes.agent");
    }

    @Test
    void reset_isInTheAudit() {
        server.admin("POST", ROOT + "/reset", "{\"attributes\":{\"agent\":\"tired\",\"channel\":\"ws\"}}");

        JsonNode entry = json(server.admin("GET", "/api/admin/audit", null))
                .get("entries")
                .get(0);

        assertThat(entry.get("change").asText()).isEqualTo("reset_budgets");
        assertThat(entry.get("who").asText()).isEqualTo("admin@127.0.0.1");
        assertThat(entry.get("attributes")).isEqualTo(json("{\"agent\":\"tired\",\"channel\":\"ws\"}"));
    }

    @Test
    void reset_thatCannotBeWrittenDown_isNotCarriedOut() {
        try (TestServer forgetful = TestServer.yaml(
                "version: 1\nlimits:\n  - {name: few, per: [user], rate: 1/hour}\n",
                options -> options.withStore(ReadOnlySettingsStore.URI))) {
            assertThat(forgetful.check("{\"user\":\"u\"}").statusCode()).isEqualTo(200);
            assertThat(forgetful
                            .admin("POST", ROOT + "/reset", "{\"attributes\":{\"user\":\"u\"}}")
                            .statusCode())
                    .isEqualTo(503);
            assertThat(forgetful.check("{\"user\":\"u\"}").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void audit_tellsWhoChangedWhatAndWhen() {
        server.admin("PUT", ROOT + "/a1", "{\"limits\":{\"agent\":{\"light\":\"500/min\"}}}");
        server.admin("POST", ROOT + "/whitelist", "{\"agent\":\"c\"}");

        JsonNode entries = json(server.admin("GET", "/api/admin/audit", null)).get("entries");

        assertThat(entries).hasSize(2);
        assertThat(entries.get(0).get("change").asText()).isEqualTo("add_exempt");
        assertThat(entries.get(1).get("change").asText()).isEqualTo("put_override");
        assertThat(entries.get(1).get("who").asText()).isEqualTo("admin@127.0.0.1");
        assertThat(entries.get(1).get("when").asText()).startsWith("20");
        assertThat(entries.get(1).get("limits").get("agent").get("light").asText())
                .isEqualTo("500/min");
    }

    @Test
    void badChange_is400AndChangesNothing() {
        for (String body : List.of(
                "{\"limits\":{\"agent\":{\"light\":\"fast\"}}}",
                "{\"limits\":{\"nothing\":{\"light\":\"1/min\"}}}",
                "{\"limits\":{\"agent\":{\"nothing\":\"1/min\"}}}",
                "{\"limits\":{\"agent\":{\"light\":[]}}}",
                "{\"limits\":null}",
                "{}",
                "[]",
                "{\"limit\":{}}")) {
            HttpResponse<String> response = server.admin("PUT", ROOT + "/a1", body);
            assertThat(response.statusCode()).as(body + response.body()).isEqualTo(400);
        }
        assertThat(json(server.admin("GET", ROOT, null)).get("version").asLong())
                .isZero();
    }

    @Test
    void wrongToken_is401_andTooMany429_butTheRightOneAlwaysPasses() {
        assertThat(server.get(ROOT).statusCode()).isEqualTo(401);
        assertThat(server.get(ROOT).headers().firstValue("WWW-Authenticate")).isPresent();
        HttpResponse<String> last = server.get(ROOT);
        for (int i = 0; i < 12; i++) {
            last = server.send("GET", ROOT, null, "Authorization", "Bearer wrong-" + i);
        }
        assertThat(last.statusCode()).isEqualTo(429);
        assertThat(last.headers().firstValue("Retry-After")).isPresent();
        assertThat(server.admin("GET", ROOT, null).statusCode()).isEqualTo(200);
    }

    @Test
    void requestsWithoutAToken_countForNothing() {
        for (int i = 0; i < 20; i++) {
            assertThat(server.get(ROOT).statusCode()).isEqualTo(401);
        }
        assertThat(server.send("GET", ROOT, null, "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void withoutAToken_itIsOffAndSaysHowToSetOne() {
        try (TestServer bare = TestServer.asIs(ServerOptions.of(ConfigurationSource.preset("agent-hub")))) {
            HttpResponse<String> response = bare.admin("GET", ROOT, null);
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("--admin-token");
        }
    }

    private long capacity(String agent) {
        return json(server.post("/v1/peek", "{\"attributes\":{\"agent\":\"" + agent + "\",\"action\":\"ping\"}}"))
                .get("capacity")
                .asLong();
    }

    private static List<String> texts(HttpResponse<String> response) {
        List<String> texts = new java.util.ArrayList<>();
        json(response).get("agents").forEach(node -> texts.add(node.asText()));
        return texts;
    }
}
