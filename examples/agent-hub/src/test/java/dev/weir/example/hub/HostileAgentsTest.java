package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Malicious and broken agents. The hub survives, and other agents are not affected. */
@Tag("io")
class HostileAgentsTest {
    private TestHub hub = TestHub.start();

    @AfterEach
    void hubIsWell() {
        hub.clock.advance(Duration.ofMinutes(1));
        assertThat(hub.get("/health", null).statusCode()).isEqualTo(200);
        hub.close();
    }

    private void restart(HubOptions options) {
        hub.close();
        hub = TestHub.start(options);
    }

    private static HubOptions impatient() {
        return impatient(Duration.ofMillis(500), Duration.ofMillis(500));
    }

    /** With time for a busy machine to identify itself and to answer pings. */
    private static HubOptions impatient(Duration request, Duration heartbeat) {
        return TestHub.options()
                .withTimeouts(new HubOptions.Timeouts(
                        request,
                        heartbeat,
                        Duration.ofMillis(500),
                        Duration.ofMillis(20),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30)));
    }

    /** Exempts the agent, so that only the hub's own bounds apply. */
    private String exempt(String agent) {
        String token = hub.token(agent);
        hub.weir.change(new SettingsChange.AddExempt("test", hub.clock.wall(), new Subject("agent", agent)));
        return token;
    }

    @Test
    void frameTooLarge_endsTheConnection() {
        TestAgent agent = hub.agent("a");
        agent.socket().sendText("x".repeat(Hub.MOST_BYTES_OF_A_FRAME + 1), true);
        assertThat(agent.closeCode()).isEqualTo(AgentSession.TOO_LARGE);
    }

    @Test
    void messageTooLargeInSmallFrames_endsTheConnection() {
        TestAgent agent = hub.agent("a");
        CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
        for (int i = 0; i < 20; i++) {
            sent = sent.thenCompose(before -> agent.socket().sendText("x".repeat(1000), false));
        }
        assertThat(agent.closeCode()).isEqualTo(AgentSession.TOO_LARGE);
    }

    @Test
    void frameOfTheLargestSize_isRead() {
        TestAgent agent = hub.agent("a");
        String padded = "{\"type\":\"ping\"}" + " ".repeat(Hub.MOST_BYTES_OF_A_FRAME - 15);
        assertThat(agent.askText(padded).getString("type")).isEqualTo("pong");
    }

    @Test
    void binaryFrames_areMalformed() {
        TestAgent agent = hub.agent("a");
        agent.socket().sendBinary(ByteBuffer.wrap(new byte[] {1, 2, 3}), true).join();
        assertThat(agent.next().getString("error")).isEqualTo("malformed");
    }

    @Test
    void textThatIsNoUtf8_isMalformed() throws IOException {
        try (RawSocket raw = RawSocket.identified(hub.hub.port(), hub.token("a"))) {
            raw.write(RawSocket.frame(RawSocket.TEXT, new byte[] {'"', (byte) 0xff, '"'}));
            assertThat(new String(raw.readFrame().payload(), StandardCharsets.UTF_8))
                    .contains("\"malformed\"");
        }
    }

    @Test
    void whoDoesNotIdentifyItself_isCutOff() {
        restart(impatient());
        TestAgent silent = hub.stranger();
        assertThat(silent.closeCode()).isEqualTo(AgentSession.POLICY_VIOLATION);
    }

    @Test
    void whoDoesNotAnswerPings_isCutOff() throws IOException {
        Duration heartbeat = Duration.ofSeconds(5);
        restart(impatient(Duration.ofSeconds(90), heartbeat));
        try (RawSocket raw = RawSocket.identified(hub.hub.port(), hub.token("a"))) {
            assertThat(raw.closeCode()).isEqualTo(AgentSession.POLICY_VIOLATION);
        }
        TestAgent polite = hub.agent("b");
        await().during(heartbeat.plusSeconds(2)).until(polite::isOpen);
    }

    @Test
    void secondSocketOfAnAgent_takesTheFirstOnesPlaceAndGetsNoBudgetOfItsOwn() {
        String token = hub.token("a");
        TestAgent first = hub.identified(token);
        assertThat(first.admitted(60, "message", "to", "nobody", "text", "x")).isEqualTo(60);
        TestAgent second = hub.stranger();
        second.identify(token);
        assertThat(first.closeCode()).isEqualTo(AgentSession.REPLACED);
        assertThat(second.admitted(10, "message", "to", "nobody", "text", "x")).isZero();
        assertThat(hub.get("/api/agents", null).body()).isEqualTo("{\"agents\":[\"a\"]}");
    }

    @Test
    void names_cannotBeTakenTwiceNorMadeUpOfAnything() {
        hub.token("a");
        assertThat(register("a")).isEqualTo(409);
        assertThat(register("dashboard")).as("no limit counts it").isEqualTo(403);
        assertThat(register("")).isEqualTo(400);
        assertThat(register("a.b")).isEqualTo(400);
        hub.clock.advance(Duration.ofMinutes(1));
        assertThat(register("a\n")).isEqualTo(400);
        assertThat(register("ä")).isEqualTo(400);
        assertThat(register("x".repeat(65))).isEqualTo(400);
    }

    private int register(String name) {
        return hub.post("/api/onboard/register", null, new JsonObject().put("agent", name))
                .statusCode();
    }

    @Test
    void dashboard_isWhoHasItsSecretAndNobodyElse() {
        restart(HubOptions.at("127.0.0.1", 0, "for-tests").withTimeouts(TestHub.TIMEOUTS));
        int served = 0;
        for (int i = 0; i < 200; i++) {
            served += hub.get("/api/metrics", "dashboard.for-tests").statusCode() == 200 ? 1 : 0;
        }
        assertThat(served).as("no limit counts it").isEqualTo(200);
        assertThat(hub.get("/api/tasks", "dashboard.for-test").statusCode()).isEqualTo(401);
        assertThat(hub.get("/api/tasks", "dashboard.").statusCode()).isEqualTo(401);
    }

    @Test
    void whoAsksAndDoesNotRead_isCutOff() throws Exception {
        restart(impatient());
        try (RawSocket raw = RawSocket.identified(hub.hub.port(), exempt("slow"))) {
            byte[] ask = RawSocket.frame(RawSocket.TEXT, "{\"type\":\"list_agents\"}".getBytes(StandardCharsets.UTF_8));
            assertThat(writesUntilCutOff(raw, ask)).isLessThan(64 << 20);
        }
        await().until(() -> hub.get("/api/agents", "none").body().equals("{\"agents\":[]}"));
    }

    @Test
    void whoPingsAndDoesNotRead_isCutOff() throws Exception {
        restart(impatient());
        try (RawSocket raw = RawSocket.identified(hub.hub.port(), hub.token("pinger"))) {
            byte[] ping = RawSocket.frame(RawSocket.PING, new byte[125]);
            assertThat(writesUntilCutOff(raw, ping)).isLessThan(64 << 20);
        }
    }

    @Test
    void whoCallsAndDoesNotRead_isCutOff() throws Exception {
        restart(impatient());
        try (RawSocket raw = new RawSocket(hub.hub.port())) {
            byte[] call = "GET /health HTTP/1.1\r\nHost: hub\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            assertThat(writesUntilCutOff(raw, call)).isLessThan(64 << 20);
        }
    }

    /**
     * Sends the same bytes repeatedly and never reads. Returns how many bytes were accepted before the hub cut it off.
     */
    private static long writesUntilCutOff(RawSocket raw, byte[] bytes) throws Exception {
        byte[] many = new byte[bytes.length * 1000];
        for (int i = 0; i < 1000; i++) {
            System.arraycopy(bytes, 0, many, i * bytes.length, bytes.length);
        }
        AtomicLong written = new AtomicLong();
        Thread writer = new Thread(() -> {
            try {
                while (written.get() < 256 << 20) {
                    raw.write(many);
                    written.addAndGet(many.length);
                }
            } catch (IOException e) {
                // Cut off.
            }
        });
        writer.start();
        writer.join(20_000);
        assertThat(writer.isAlive())
                .as("still connected after " + written.get() + " bytes")
                .isFalse();
        return written.get();
    }

    @Test
    void slowSubscriber_delaysNobody() throws Exception {
        restart(impatient(Duration.ofSeconds(90), Duration.ofSeconds(5)));
        String publisherToken = exempt("publisher");
        hub.post("/api/channels", publisherToken, new JsonObject().put("channel", "news"));
        TestAgent publisher = hub.identified(publisherToken);
        TestAgent reader = hub.agent("reader");
        reader.ask("channel_subscribe", "channel", "news");
        try (RawSocket slow = RawSocket.identified(hub.hub.port(), hub.token("slow"))) {
            slow.text("{\"type\":\"channel_subscribe\",\"channel\":\"news\"}");
            String text = "x".repeat(2000);
            for (int i = 0; i < 3000; i++) {
                publisher.ask("channel_publish", "channel", "news", "text", text);
                assertThat(reader.next().getString("type")).isEqualTo("channel_message");
            }
            await().until(() -> !hub.get("/api/agents", publisherToken).body().contains("slow"));
        }
        JsonObject told = publisher.ask("channel_publish", "channel", "news", "text", "last");
        assertThat(told.getInteger("told")).isEqualTo(1);
    }

    @Test
    void bodyTooLarge_isRefusedAndTheConnectionEnds() throws IOException {
        HttpResponse<String> refused =
                hub.post("/api/onboard/register", null, new JsonObject().put("agent", "x".repeat(20_000)));
        assertThat(refused.statusCode()).isEqualTo(413);
        try (RawSocket raw = new RawSocket(hub.hub.port())) {
            raw.write("POST /api/onboard/register HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 5; i++) {
                raw.write("1000\r\n" + "x".repeat(4096) + "\r\n");
            }
            assertThat(raw.readAll()).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void requestsThatDripOrNeverCome_areCutOff() throws IOException {
        restart(impatient());
        try (RawSocket silent = new RawSocket(hub.hub.port());
                RawSocket head = new RawSocket(hub.hub.port());
                RawSocket body = new RawSocket(hub.hub.port())) {
            head.write("GET /health HTTP/1.1\r\nHost: h");
            body.write("POST /api/onboard/register HTTP/1.1\r\nHost: hub\r\nContent-Length: 100\r\n\r\n{");
            await().pollInterval(Duration.ofMillis(100)).until(() -> {
                drip(head);
                drip(body);
                return silent.isCutOff() && head.isCutOff() && body.isCutOff();
            });
        }
    }

    private static void drip(RawSocket raw) {
        try {
            raw.write("x");
        } catch (IOException e) {
            // Cut off already.
        }
    }

    @Test
    void connections_areBounded() throws IOException {
        restart(TestHub.options().withConnections(3));
        try (RawSocket one = new RawSocket(hub.hub.port());
                RawSocket two = new RawSocket(hub.hub.port());
                RawSocket three = new RawSocket(hub.hub.port());
                RawSocket four = new RawSocket(hub.hub.port())) {
            await().until(four::isCutOff);
            one.write("GET /health HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n");
            assertThat(one.readAll()).startsWith("HTTP/1.1 200 ");
            assertThat(two.isCutOff()).isFalse();
            assertThat(three.isCutOff()).isFalse();
        }
    }

    @Test
    void somethingThatIsNoHttp_harmsNobody() throws IOException {
        try (RawSocket raw = new RawSocket(hub.hub.port())) {
            raw.write("\u0016\u0003\u0001\u0002\u0000 what is this?\r\n\r\n");
            assertThat(raw.readAll()).contains(" 400 Bad Request");
        }
        try (RawSocket raw = new RawSocket(hub.hub.port())) {
            raw.write("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n");
            assertThat(raw.readAll()).contains(" 414 Request-URI Too Long");
        }
    }

    @Test
    void pathsOfAnyKind_areAnswered() throws IOException {
        for (String line : List.of(
                "GET /%zz%00%ff",
                "OPTIONS *", "GET http://elsewhere/health", "GET //", "GET /api/tasks/..%2f..", "PUT /health")) {
            try (RawSocket raw = new RawSocket(hub.hub.port())) {
                raw.write(line + " HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n");
                assertThat(raw.readAll()).as(line).matches("(?s)HTTP/1\\.1 (200|400|401|404) .*");
            }
        }
    }

    @Test
    void close_saysGoodbyeToAgents() {
        TestAgent agent = hub.agent("a");
        hub.close();
        assertThat(agent.closeCode()).isEqualTo(AgentSession.GOING_AWAY);
        hub = TestHub.start();
    }
}
