package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reference system A end to end: the limits of an agent and the replies that it gets, over real sockets. */
@Tag("io")
class HubLimitsAcceptanceTest {
    private static final Map<String, Integer> CAPACITY = Map.of("light", 120, "normal", 60, "heavy", 10);

    /** The class lists of the reference system, for the messages and actions that the hub has. */
    private static final Map<String, List<String>> MESSAGES = Map.of(
            "light", List.of("ping", "list_agents", "list_channels", "status", "channel_history"),
            "normal",
                    List.of(
                            "message",
                            "channel_publish",
                            "channel_subscribe",
                            "channel_unsubscribe",
                            "task_accepted",
                            "task_progress",
                            "task_complete",
                            "task_failed",
                            "task_recovering"),
            "heavy", List.of("identify"));

    private static final Map<String, List<String>> ACTIONS = Map.of(
            "light", List.of("get_agents", "get_channels", "get_tasks", "get_metrics", "get_health"),
            "normal",
                    List.of(
                            "post_message",
                            "post_channel_publish",
                            "get_messages",
                            "get_task_detail",
                            "get_channel_info"),
            "heavy", List.of("post_task", "post_channel", "post_onboard_register"));

    private final TestHub hub = TestHub.start();

    @AfterEach
    void stop() {
        hub.close();
    }

    @Test
    void A2_everyMessageTypeIsOfItsTier() {
        MESSAGES.forEach((tier, types) -> types.forEach(type -> {
            TestAgent agent = hub.agent("for_" + type);
            String[] fields = {"to", "nobody", "text", "x", "channel", "none", "task", "none", "token", "nobody.none"};
            assertThat(agent.admitted(CAPACITY.get(tier), type, fields))
                    .as(type)
                    .isEqualTo(CAPACITY.get(tier));
            JsonObject refused = agent.ask(type, fields);
            assertThat(refused.getString("type")).as(type).isEqualTo("rate_limited");
            assertThat(refused.getString("tier")).as(type).isEqualTo(tier);
            agent.leave();
        }));
    }

    @Test
    void A2_everyHttpActionIsOfItsTier() {
        Set<String> seen = new TreeSet<>();
        for (HttpApi.Route route : hub.hub.routes()) {
            String tier = tierOf(route.action());
            seen.add(route.action());
            if (route.action().equals("post_onboard_register")) {
                continue; // An address may register but five: A15.
            }
            String token = hub.token("for_" + route.action());
            for (int i = 0; i < CAPACITY.get(tier); i++) {
                assertThat(call(route, token).statusCode()).as(route.action()).isNotEqualTo(429);
            }
            HttpResponse<String> refused = call(route, token);
            assertThat(refused.statusCode()).as(route.action()).isEqualTo(429);
            assertThat(new JsonObject(refused.body()).getString("tier"))
                    .as(route.action())
                    .isEqualTo(tier);
        }
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        ACTIONS.values().stream().flatMap(List::stream).toList());
    }

    private static String tierOf(String action) {
        return ACTIONS.entrySet().stream()
                .filter(tier -> tier.getValue().contains(action))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new AssertionError(action + " is in no list"));
    }

    private HttpResponse<String> call(HttpApi.Route route, String token) {
        String path = route.path().replaceAll("\\{\\w+}", "none");
        JsonObject body = route.method().name().equals("POST") ? new JsonObject() : null;
        return hub.send(route.method().name(), path, token, body);
    }

    @Test
    void A2_anUnclassedTypeIsNormalAndLoggedOnce() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(Weir.class.getName());
        logger.addHandler(handler);
        try {
            TestAgent agent = hub.agent("dancer");
            assertThat(agent.admitted(60, "dance")).isEqualTo(60);
            JsonObject refused = agent.ask("dance");
            assertThat(refused.getString("tier")).isEqualTo("normal");
            assertThat(hub.agent("other").ask("dance").getString("error")).isEqualTo("unknown_type");
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines).containsExactly("no class of tier names the action 'dance'; it counts as normal");
    }

    private static int messages(TestAgent agent, int times) {
        return agent.admitted(times, "message", "to", "nobody", "text", "hello");
    }

    @Test
    void A3_anAgentAtItsWebSocketLimitCanStillCallHttp() {
        String token = hub.token("a");
        TestAgent agent = hub.identified(token);
        assertThat(messages(agent, 61)).isEqualTo(60);
        assertThat(hub.get("/api/channels/none", token).statusCode()).isEqualTo(404);
    }

    @Test
    void A3_anAgentAtItsHttpLimitCanStillSendMessages() {
        String token = hub.token("a");
        TestAgent agent = hub.identified(token);
        for (int i = 0; i < 60; i++) {
            assertThat(hub.get("/api/channels/none", token).statusCode()).isEqualTo(404);
        }
        assertThat(hub.get("/api/channels/none", token).statusCode()).isEqualTo(429);
        assertThat(messages(agent, 61)).isEqualTo(60);
    }

    @Test
    void A3_classesAndAgentsAreApart() {
        TestAgent agent = hub.agent("a");
        TestAgent other = hub.agent("b");
        assertThat(messages(agent, 61)).isEqualTo(60);
        assertThat(agent.admitted(121, "ping")).isEqualTo(120);
        assertThat(agent.admitted(11, "identify", "token", "x")).isEqualTo(10);
        assertThat(messages(other, 61)).isEqualTo(60);
    }

    @Test
    void A4_anIdleAgentMayBurstThenRunsAtTheRefillRate() {
        TestAgent agent = hub.agent("a");
        hub.clock.advance(Duration.ofHours(1));
        assertThat(agent.admitted(130, "ping")).as("light").isEqualTo(120);
        assertThat(messages(agent, 70)).as("normal").isEqualTo(60);
        assertThat(agent.admitted(20, "identify", "token", "x")).as("heavy").isEqualTo(10);
        hub.clock.advance(Duration.ofMillis(5999));
        assertThat(agent.admitted(20, "identify", "token", "x"))
                .as("heavy, almost 6 s later")
                .isEqualTo(0);
        hub.clock.advance(Duration.ofMillis(1));
        assertThat(agent.admitted(20, "ping")).as("light, 6 s later").isEqualTo(12);
        assertThat(messages(agent, 20)).as("normal, 6 s later").isEqualTo(6);
        assertThat(agent.admitted(20, "identify", "token", "x"))
                .as("heavy, 6 s later")
                .isEqualTo(1);
    }

    @Test
    void A4_theSameHoldsOverHttp() {
        String token = hub.token("a");
        assertThat(served(130, "/health", token)).isEqualTo(120);
        assertThat(served(70, "/api/channels/none", token)).isEqualTo(60);
        int submitted = 0;
        for (int i = 0; i < 15; i++) {
            submitted += submit(token).statusCode() == 202 ? 1 : 0;
        }
        assertThat(submitted).isEqualTo(10);
        hub.clock.advance(Duration.ofSeconds(1));
        assertThat(served(10, "/health", token)).isEqualTo(2);
        assertThat(served(10, "/api/channels/none", token)).isEqualTo(1);
    }

    private int served(int times, String path, String token) {
        int served = 0;
        for (int i = 0; i < times; i++) {
            served += hub.get(path, token).statusCode() == 429 ? 0 : 1;
        }
        return served;
    }

    private HttpResponse<String> submit(String token) {
        return hub.post("/api/tasks", token, new JsonObject().put("text", "work"));
    }

    @Test
    void A5_aDeniedMessageGetsTheFrameAndTheConnectionStays() {
        TestAgent agent = hub.agent("a");
        agent.admitted(10, "identify", "token", "x");
        assertThat(agent.ask("identify", "token", "x"))
                .isEqualTo(new JsonObject("{\"type\":\"rate_limited\",\"retry_after_ms\":6000,\"tier\":\"heavy\"}"));
        assertThat(agent.askText("{\"type\":\"identify\",\"token\":\"x\",\"id\":7}")
                        .getInteger("id"))
                .as("an agent finds out which message was refused if it gave it an id")
                .isEqualTo(7);
        assertThat(agent.ask("ping").getString("type")).isEqualTo("pong");
        assertThat(agent.isOpen()).isTrue();
    }

    @Test
    void A5_aDeniedCallGets429AndTheConnectionStays() throws IOException {
        String token = hub.token("a");
        for (int i = 0; i < 10; i++) {
            assertThat(submit(token).statusCode()).isEqualTo(202);
        }
        String body = "{\"text\":\"work\"}";
        String head = " HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer " + token + "\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), hub.hub.port())) {
            socket.setSoTimeout(90_000);
            write(socket, "POST /api/tasks" + head + "Content-Length: " + body.length() + "\r\n\r\n" + body);
            String denied = read(socket, "}");
            assertThat(denied).startsWith("HTTP/1.1 429 ").containsIgnoringCase("\r\nRetry-After: 6\r\n");
            JsonObject json = new JsonObject(denied.substring(denied.indexOf("\r\n\r\n")));
            assertThat(json.getString("error")).isEqualTo("rate_limited");
            assertThat(json.getLong("retry_after_ms")).isEqualTo(6000);
            assertThat(json.getString("tier")).isEqualTo("heavy");

            write(socket, "GET /health" + head + "\r\n");
            assertThat(read(socket, "}")).as("the same connection").startsWith("HTTP/1.1 200 ");
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String read(Socket socket, String end) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder text = new StringBuilder();
        while (!text.toString().endsWith(end)) {
            int next = in.read();
            assertThat(next).as("the connection ended after " + text).isNotNegative();
            text.append((char) next);
        }
        return text.toString();
    }

    @Test
    void A6_waitsGrowWithConsecutiveViolations() {
        TestAgent agent = hub.agent("a");
        messages(agent, 60);
        for (long wait : new long[] {1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000}) {
            assertThat(agent.ask(TestAgent.frame("message", "to", "b", "text", "x"))
                            .getLong("retry_after_ms"))
                    .isEqualTo(wait);
        }
    }

    @Test
    void A6_violationsOfBothChannelsCountTogether() {
        String token = hub.token("a");
        TestAgent agent = hub.identified(token);
        agent.admitted(121, "ping");
        served(120, "/health", token);
        HttpResponse<String> second = hub.get("/health", token);
        assertThat(second.statusCode()).isEqualTo(429);
        assertThat(second.headers().firstValue("Retry-After")).hasValue("2");
        assertThat(new JsonObject(second.body()).getLong("retry_after_ms")).isEqualTo(2000);
    }

    @Test
    void A6_aQuietMinuteResetsThemAndLessDoesNot() {
        TestAgent agent = hub.agent("a");
        messages(agent, 61);
        hub.clock.advance(Duration.ofMillis(59_999));
        assertThat(messages(agent, 60)).isEqualTo(59);
        // That was the second violation; a minute without one follows.
        hub.clock.advance(Duration.ofSeconds(60));
        assertThat(messages(agent, 60)).isEqualTo(60);
        assertThat(agent.ask("message", "to", "b", "text", "x").getLong("retry_after_ms"))
                .isEqualTo(1_000);
    }

    @Test
    void A6_waitsAreWholeSecondsRoundedUpAndNeverLessThanTheTrueOne() {
        TestAgent agent = hub.agent("a");
        agent.admitted(10, "identify", "token", "x");
        hub.clock.advance(Duration.ofMillis(1));
        JsonObject refused = agent.ask("identify", "token", "x");
        assertThat(refused.getLong("retry_after_ms")).as("5,999 ms, rounded up").isEqualTo(6_000);
        hub.clock.advance(Duration.ofMillis(1_500));
        refused = agent.ask("identify", "token", "x");
        assertThat(refused.getLong("retry_after_ms")).as("4,499 ms, rounded up").isEqualTo(5_000);
        hub.clock.advance(Duration.ofSeconds(5));
        assertThat(agent.answerTo("identify", "token", "x").getString("type"))
                .as("who waits as told is admitted")
                .isEqualTo("error");
    }

    @Test
    void A7_at80PercentOneWarningComesAndTheMessageIsProcessed() {
        TestAgent agent = hub.agent("a");
        for (int i = 1; i <= 120; i++) {
            JsonObject first = agent.ask("ping");
            if (i == 96) {
                assertThat(first)
                        .isEqualTo(
                                new JsonObject("{\"type\":\"rate_limit_warning\",\"tier\":\"light\",\"remaining\":24,"
                                        + "\"capacity\":120}"));
                first = agent.next();
            }
            assertThat(first.getString("type")).as("ping " + i).isEqualTo("pong");
        }
        assertThat(agent.ask("ping").getString("type")).isEqualTo("rate_limited");
        assertThat(agent.hasHeardMore()).isFalse();
    }

    @Test
    void A7_overHttpTheWarningIsAHeader() {
        String token = hub.token("a");
        for (int i = 1; i <= 60; i++) {
            HttpResponse<String> answer = hub.get("/api/channels/none", token);
            assertThat(answer.statusCode()).as("call " + i + " is served").isEqualTo(404);
            assertThat(answer.headers().allValues("X-RateLimit-Warning"))
                    .as("call " + i)
                    .isEqualTo(i == 48 ? List.of("\"agent\";r=12;q=60") : List.of());
            assertThat(answer.headers().firstValue("X-RateLimit-Reset")).isPresent();
            assertThat(answer.headers().firstValue("RateLimit-Policy")).hasValue("\"agent\";q=60;w=60");
            assertThat(answer.headers().firstValue("RateLimit").orElse(""))
                    .startsWith("\"agent\";r=" + (60 - i) + ";t=");
        }
    }
}
