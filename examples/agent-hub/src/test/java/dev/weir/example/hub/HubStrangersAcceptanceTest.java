package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reference system A end to end: clients without identification, and clients that violate the protocol. */
@Tag("io")
class HubStrangersAcceptanceTest {
    private TestHub hub = TestHub.start();

    @AfterEach
    void stop() {
        hub.close();
    }

    private int served(int times, String path, String token, String... headers) {
        int served = 0;
        for (int i = 0; i < times; i++) {
            served += hub.get(path, token, headers).statusCode() == 429 ? 0 : 1;
        }
        return served;
    }

    private HttpResponse<String> register(String name, String... headers) {
        return hub.post("/api/onboard/register", null, new JsonObject().put("agent", name), headers);
    }

    @Test
    void A15_messagesBeforeIdentificationAreNotCountedAgainstAnAgent() {
        String token = hub.token("a");
        TestAgent agent = hub.stranger();
        for (int i = 0; i < 9; i++) {
            JsonObject answer = agent.ask("message", "to", "b", "text", "x");
            assertThat(answer.getString("error")).isEqualTo("not_identified");
        }
        agent.identify(token);
        assertThat(agent.admitted(70, "message", "to", "nobody", "text", "x")).isEqualTo(60);
        assertThat(agent.admitted(20, "identify", "token", "x"))
                .as("the identification that succeeded was not counted either")
                .isEqualTo(10);
    }

    @Test
    void A15_whoFailsToIdentifyAsAnAgentCostsThatAgentNothing() {
        TestAgent victim = hub.agent("victim");
        for (int i = 0; i < 20; i++) {
            TestAgent impostor = hub.stranger();
            assertThat(impostor.ask("identify", "token", "victim.guess" + i).getString("error"))
                    .isEqualTo("unauthorized");
            assertThat(impostor.closeCode()).isEqualTo(AgentSession.POLICY_VIOLATION);
        }
        assertThat(victim.isOpen()).isTrue();
        assertThat(hub.weir.penaltyState("victim").throttled()).isFalse();
        assertThat(victim.admitted(20, "identify", "token", "x")).isEqualTo(10);
    }

    @Test
    void A15_unauthenticatedHttpIsLimitedByAddress() {
        assertThat(served(100, "/api/agents", null)).isEqualTo(60);
        HttpResponse<String> refused = hub.get("/health", null);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        JsonObject body = new JsonObject(refused.body());
        assertThat(body.getString("error")).isEqualTo("rate_limited");
        assertThat(body.getLong("retry_after_ms")).isEqualTo(1000);
        assertThat(body.getString("tier")).isEqualTo("light");
        hub.clock.advance(Duration.ofSeconds(1));
        assertThat(served(10, "/api/agents", null)).isEqualTo(1);
    }

    @Test
    void A15_aTokenOfNobodyAndAPathToNowhereCountForTheAddressToo() {
        assertThat(hub.get("/api/tasks", "a.wrong").statusCode()).isEqualTo(401);
        assertThat(served(29, "/api/tasks", "a.wrong")).isEqualTo(29);
        assertThat(hub.get("/nowhere", null).statusCode()).isEqualTo(404);
        assertThat(served(50, "/nowhere", null)).isEqualTo(29);
    }

    @Test
    void A15_openingAWebSocketCountsForTheAddress() {
        assertThat(served(60, "/api/agents", null)).isEqualTo(60);
        assertThatThrownBy(hub::stranger)
                .isInstanceOf(CompletionException.class)
                .hasStackTraceContaining("status code 429");
    }

    @Test
    void A15_anAgentIsNotLimitedByItsAddress() {
        String token = hub.token("a");
        assertThat(served(61, "/api/agents", null)).isEqualTo(60);
        assertThat(served(121, "/api/agents", token)).isEqualTo(120);
        assertThat(hub.weir.penaltyState("a").consecutiveViolations())
                .as("nor do its address's violations count for it")
                .isEqualTo(1);
    }

    @Test
    void A15_anAddressMayRegisterFiveTimesAMinute() {
        for (int i = 0; i < 5; i++) {
            assertThat(register("agent" + i).statusCode()).isEqualTo(201);
        }
        HttpResponse<String> refused = register("agent5");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("12");
        assertThat(hub.get("/health", null).statusCode())
                .as("other calls go on")
                .isEqualTo(200);
        hub.clock.advance(Duration.ofSeconds(12));
        assertThat(register("agent5").statusCode()).isEqualTo(201);
        assertThat(register("agent6").statusCode()).isEqualTo(429);
    }

    @Test
    void A15_anAgentCannotRegisterMoreThanItsAddress() {
        String token = hub.token("a");
        for (int i = 0; i < 5; i++) {
            assertThat(register("agent" + i, "Authorization", "Bearer " + token).statusCode())
                    .isEqualTo(201);
        }
        assertThat(register("agent5", "Authorization", "Bearer " + token).statusCode())
                .isEqualTo(429);
    }

    @Test
    void A15_addressesAreApartAndOnlyATrustedProxyMaySpeakForOne() {
        assertThat(served(100, "/health", null, "X-Forwarded-For", "203.0.113.7"))
                .isEqualTo(60);
        assertThat(served(10, "/health", null, "X-Forwarded-For", "203.0.113.8"))
                .as("nobody trusts this client")
                .isZero();
        hub.close();
        hub = TestHub.behindProxy();
        assertThat(served(100, "/health", null, "X-Forwarded-For", "203.0.113.7"))
                .isEqualTo(60);
        assertThat(served(100, "/health", null, "X-Forwarded-For", "203.0.113.8"))
                .isEqualTo(60);
        assertThat(served(100, "/health", null, "X-Forwarded-For", "2001:db8:0:1::1"))
                .isEqualTo(60);
        assertThat(served(100, "/health", null, "X-Forwarded-For", "2001:db8:0:1::2"))
                .as("the same /64")
                .isZero();
    }

    @Test
    void A18_tenMalformedFramesInAMinuteDisconnect() {
        TestAgent agent = hub.agent("a");
        List<String> malformed = List.of(
                "",
                "garbage",
                "null",
                "[]",
                "{}",
                "{\"type\":7}",
                "{\"type\":\"message\"}",
                "{\"type\":\"ping\"} {}",
                "[".repeat(8000),
                "{\"type\":\"ping\",\"id\":{}}");
        for (int i = 0; i < 10; i++) {
            JsonObject answer = agent.askText(malformed.get(i));
            assertThat(answer.getString("error")).as(malformed.get(i)).isEqualTo("malformed");
            if (i < 9) {
                hub.clock.advance(Duration.ofMillis(6_666));
                assertThat(agent.isOpen()).isTrue();
            }
        }
        assertThat(agent.closeCode()).isEqualTo(AgentSession.POLICY_VIOLATION);
    }

    @Test
    void A18_tenMalformedFramesInMoreThanAMinuteDoNot() {
        TestAgent agent = hub.agent("a");
        for (int i = 0; i < 30; i++) {
            assertThat(agent.askText("garbage").getString("error")).isEqualTo("malformed");
            hub.clock.advance(Duration.ofMillis(6_667));
        }
        assertThat(agent.ask("ping").getString("type")).isEqualTo("pong");
    }

    @Test
    void A18_malformedFramesAreNoRateViolationsAndSpendNothing() {
        TestAgent agent = hub.agent("a");
        for (int i = 0; i < 9; i++) {
            agent.askText("{\"type\":\"message\",\"to\":" + i + "}");
        }
        assertThat(hub.weir.penaltyState("a").consecutiveViolations()).isZero();
        assertThat(agent.admitted(70, "message", "to", "nobody", "text", "x")).isEqualTo(60);
    }

    @Test
    void A18_rateViolationsNeverDisconnect() {
        TestAgent agent = hub.agent("a");
        assertThat(agent.admitted(500, "ping")).isEqualTo(120);
        for (int i = 0; i < 9; i++) {
            assertThat(agent.askText("garbage").getString("error")).isEqualTo("malformed");
        }
        assertThat(agent.admitted(500, "message", "to", "nobody", "text", "x"))
                .as("nine malformed frames and hundreds of violations")
                .isEqualTo(60);
        assertThat(agent.isOpen()).isTrue();
        assertThat(agent.askText("garbage").getString("error")).isEqualTo("malformed");
        assertThat(agent.closeCode()).as("the tenth").isEqualTo(AgentSession.POLICY_VIOLATION);
    }
}
