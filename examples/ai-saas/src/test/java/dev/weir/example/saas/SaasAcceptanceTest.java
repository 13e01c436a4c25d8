package dev.weir.example.saas;

import static dev.weir.example.saas.Visitor.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Store;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FakeClock;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reference system B as an application: Spring Boot over real sockets, in memory, with a clock that the test advances.
 */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SaasAcceptanceTest {
    private final FakeClock clock = new FakeClock();
    private Weir weir;
    private SaasServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private void start() {
        start(MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)));
    }

    private void start(Store store) {
        weir = Weir.of(
                new ConfigurationReader(name -> null).preset("ai-saas").orThrow(),
                store,
                new InMemorySettings(),
                WeirOptions.defaults().withClock(clock::wall));
        server = SaasServer.start("127.0.0.1", 0, weir);
    }

    private Visitor as(String member) {
        return new Visitor(server, member);
    }

    private Visitor stranger() {
        return as("");
    }

    @Test
    void B1_fourLayersAreOneDecision_andARefusalSpendsNothing() throws Exception {
        start();
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = as("fay").ask("tell me", 10);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(header(answer, "RateLimit-Policy"))
                    .contains("\"global\"", "\"ip\"", "\"general\"", "\"ai_completions\"", "\"ai_tokens\"");
        }
        HttpResponse<String> refused = as("fay").ask("tell me", 10);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).contains("\"limit\":\"ai_completions\"", "\"scope\":\"user\"");
        assertThat(as("fay").left("general")).as("less five, and this one").isEqualTo(60 - 5 - 1);
        assertThat(as("fay").left("ai_tokens")).isEqualTo(10_000 - 5 * (2 + 4));
    }

    @Test
    void B1_theOutermostLayerThatRefuses_isTold_andActsBeforeAuthentication() throws Exception {
        start();
        for (int i = 0; i < 100; i++) {
            assertThat(stranger().post("/api/webhooks/payments", "{}").statusCode())
                    .isEqualTo(204);
        }
        HttpResponse<String> member = as("anna").get("/api/profile");
        assertThat(member.statusCode()).isEqualTo(429);
        assertThat(member.body()).contains("\"scope\":\"ip\"");
        assertThat(stranger().get("/api/profile").statusCode())
                .as("before anybody asks who it is")
                .isEqualTo(429);
        assertThat(as("anna").ask("tell me", 10).body()).contains("\"scope\":\"ip\"");
    }

    @ParameterizedTest
    @CsvSource({
        "fay, 60, 30, 10, 5, 10000, 0, 1",
        "mona, 300, 100, 30, 15, 100000, 10, 3",
        "anna, 600, 300, 60, 30, 500000, 50, 10"
    })
    void B2_eachPlanHasItsSevenLimits(
            String member, int general, int session, int messages, int ai, int tokens, int exports, int connections)
            throws Exception {
        start();
        String limits = as(member).get("/api/rate-limits").body();
        Map.of(
                        "general", general,
                        "session", session,
                        "conversation", messages,
                        "ai_completions", ai,
                        "ai_tokens", tokens,
                        "export", exports,
                        "connections", connections)
                .forEach((resource, limit) -> assertThat(limits)
                        .containsPattern("\"resource\":\"" + resource + "\"[^}]*\"limit\":" + limit + ","));
    }

    @Test
    void B3_loginsAndWebhooksHaveLimitsOfTheirOwn() throws Exception {
        start();
        for (int i = 0; i < 10; i++) {
            assertThat(stranger().post("/api/auth/login", "{\"name\":\"fay\"}").statusCode())
                    .isEqualTo(200);
        }
        HttpResponse<String> eleventh = stranger().post("/api/auth/login", "{\"name\":\"fay\"}");
        assertThat(eleventh.statusCode()).isEqualTo(429);
        assertThat(eleventh.body()).contains("\"limit\":\"auth\"");
        assertThat(header(stranger().post("/api/webhooks/payments", "{}"), "RateLimit-Policy"))
                .isEqualTo("\"global\";q=10000;w=60, \"ip\";q=100;w=60, \"webhook\";q=1000;w=60");
    }

    @Test
    void B4_lookingSpendsNothing_resetMakesWhole_andABadTokenNeverPasses() throws Exception {
        start();
        as("mona").post("/api/sessions", "{}");
        assertThat(as("mona").left("session")).isEqualTo(99);
        assertThat(as("mona").left("session")).isEqualTo(99);
        weir.reset(Map.of("user", "mona", "plan", "monthly"));
        assertThat(as("mona").left("session")).isEqualTo(100);
        for (String nobody : List.of("mona:x", "", "x".repeat(5000), "%00")) {
            assertThat(as(nobody).get("/api/profile").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void B6_everyAnswerSaysHowTheLimitsStand_andPathsAreClassedByRules() throws Exception {
        start();
        HttpResponse<String> message = as("fay").post("/api/conversations/7/messages", "\"hi\"");
        assertThat(message.statusCode()).isEqualTo(200);
        assertThat(header(message, "X-RateLimit-Limit")).isEqualTo("10");
        assertThat(header(message, "X-RateLimit-Remaining")).isEqualTo("9");
        assertThat(header(message, "X-RateLimit-Reset")).isNotNull();
        assertThat(header(message, "RateLimit")).contains("\"conversation\";r=9");
        for (int i = 0; i < 9; i++) {
            as("fay").post("/api/conversations/7/messages", "\"hi\"");
        }
        HttpResponse<String> refused = as("fay").post("/api/conversations/8/messages", "\"hi\"");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "Retry-After")).isEqualTo("6");
        assertThat(refused.body())
                .contains("\"error\":\"rate_limited\"", "\"message\":", "\"retry_after_secs\":6", "\"scope\":\"user\"");
        assertThat(header(as("nobody").get("/api/profile"), "X-RateLimit-Limit"))
                .as("of who is not let in, too")
                .isNotNull();
    }

    @Test
    void B7_tokensAreReservedBefore_andSettledAfter() throws Exception {
        start();
        HttpResponse<String> answer = as("fay").ask("tell me something", 200);
        assertThat(header(answer, "Content-Type")).startsWith("text/event-stream");
        assertThat(answer.body())
                .isEqualTo("data: tell\n\ndata: me\n\ndata: something\n\n".repeat(2) + "event: done\ndata: 9\n\n");
        assertThat(header(answer, "RateLimit")).as("while it runs").contains("\"ai_tokens\";r=" + (10_000 - 203));
        assertThat(as("fay").left("ai_tokens")).isEqualTo(10_000 - 9);
    }

    @Test
    void B7_whatDoesNotFit_isRefused_andWhatFailsIsGivenBack() throws Exception {
        start();
        assertThat(as("fay").ask("stumble", 200).body()).contains("event: error");
        assertThat(as("fay").left("ai_tokens")).as("nothing was said").isEqualTo(10_000);
        assertThat(as("fay").ask("one stumble", 200).body()).contains("data: one", "event: error");
        assertThat(as("fay").left("ai_tokens")).as("a word was said").isEqualTo(10_000 - 3);
        HttpResponse<String> tooMuch = as("fay").ask("tell me", 9_999);
        assertThat(tooMuch.statusCode()).isEqualTo(429);
        assertThat(tooMuch.body()).contains("\"limit\":\"ai_tokens\"");
        assertThat(as("fay").left("ai_tokens")).isEqualTo(10_000 - 3);
        assertThat(as("fay").ask("", 5).statusCode()).isEqualTo(400);
        assertThat(as("fay").ask("x", 0).statusCode()).isEqualTo(400);
    }

    @Test
    void B7_whoGoesAwayHasUsedWhatCameUntilThen() throws Exception {
        start();
        String prompt = "word ".repeat(1900).trim();
        HttpResponse<InputStream> answer =
                HttpClient.newHttpClient().send(as("anna").asking(prompt, 100_000), BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            assertThat(body.read()).isEqualTo('d');
        }
        await().untilAsserted(() -> assertThat(as("anna").left("ai_tokens"))
                .as("settled, and not the estimate")
                .isBetween(500_000L - 3 * 1900, 499_999L));
    }

    @Test
    void B8_connectionsAreLimitedByPlan_andFreeAgainWhenTheyEnd() throws Exception {
        start();
        List<WebSocket> open = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            open.add(as("mona").connect().get(90, TimeUnit.SECONDS));
        }
        assertThat(as("mona").refusedHandshake()).isEqualTo(429);
        open.get(0).sendClose(WebSocket.NORMAL_CLOSURE, "").get(90, TimeUnit.SECONDS);
        open.get(1).abort();
        await().untilAsserted(() -> assertThat(as("mona").left("connections")).isEqualTo(2));
        as("mona").connect().get(90, TimeUnit.SECONDS).abort();
        WebSocket only = as("fay").connect().get(90, TimeUnit.SECONDS);
        assertThat(as("fay").refusedHandshake()).isEqualTo(429);
        only.abort();
        assertThat(as("nobody").refusedHandshake()).isEqualTo(401);
    }

    @Test
    void B9_refusalsAndUsedUpBudgets_areCloudEvents() throws Exception {
        start();
        as("fay").ask("tell me", 9_999);
        await().untilAsserted(
                        () -> assertThat(stranger().get("/operations/events").body())
                                .contains("system.rate_limit_exceeded.v1", "membership.ai_token_budget_exhausted.v1")
                                .contains("\"user_id\":\"fay\"", "\"tier\":\"free\"", "\"daily_limit\":10000"));
    }

    @Test
    void B10_aCallerSeesItsLimits() throws Exception {
        start();
        as("anna").post("/api/sessions", "{}");
        String limits = as("anna").get("/api/rate-limits").body();
        assertThat(limits).contains("\"plan\":\"annual\"");
        assertThat(limits)
                .containsPattern("\"resource\":\"session\"[^}]*\"limit\":300,\"remaining\":299,\"reset_at\":\\d+,"
                        + "\"window\":\"per hour\"");
    }

    @Test
    void B11_thePageLoadsTheBrowserClient_whichFindsItsHeaders() throws Exception {
        start();
        assertThat(stranger().get("/").body()).contains("<rate-limit-indicator", "src=\"page.js\"");
        assertThat(stranger().get("/page.js").body()).contains("from './client/weir-client.js'");
        HttpResponse<String> client = stranger().get("/client/weir-client.js");
        assertThat(header(client, "Content-Type")).startsWith("text/javascript");
        assertThat(client.body()).isEqualTo(Files.readString(Path.of("../../clients/web/weir-client.js")));
        assertThat(as("fay").ask("tell me", 5).headers().map())
                .containsKeys("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit");
    }

    @Test
    void B12_withoutItsStore_theServiceRefusesForAMinute() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        start(store);
        assertThat(as("anna").get("/api/profile").statusCode()).isEqualTo(200);
        store.be(FailureInjectingStore.Behavior.FAILS);
        for (HttpResponse<String> refused :
                List.of(as("anna").get("/api/profile"), as("anna").ask("tell me", 5))) {
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("60");
            assertThat(refused.body()).contains("Rate limiter temporarily unavailable");
        }
        assertThat(as("anna").refusedHandshake()).isEqualTo(429);
        assertThat(weir.counts().unavailableDenied()).isEqualTo(3);
        store.be(FailureInjectingStore.Behavior.WELL);
        await().untilAsserted(() ->
                assertThat(as("anna").get("/api/profile").statusCode()).isEqualTo(200));
    }

    @Test
    void B13_aHighShareOfRefusals_raisesAnAlert() throws Exception {
        start();
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 3; i++) {
                as("fay").get("/api/export");
            }
            as("fay").get("/api/profile");
            clock.advance(Duration.ofSeconds(1));
        }
        await().untilAsserted(() ->
                assertThat(stranger().get("/operations/events").body()).containsIgnoringCase("alert"));
    }

    @Test
    void B14_aPlanWithoutExports_isRefusedForGood() throws Exception {
        start();
        HttpResponse<String> refused = as("fay").get("/api/export");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "Retry-After")).isNull();
        assertThat(refused.body()).contains("\"reason\":\"impossible\"", "\"retry_after_secs\":null");
        assertThat(as("mona").get("/api/export").body()).startsWith("id,text");
    }
}
