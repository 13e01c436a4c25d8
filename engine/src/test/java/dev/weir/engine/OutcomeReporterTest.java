package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.event.WebhookOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine's reports about its decisions: events, alerts, counts. */
@Tag("io")
@Timeout(300)
class OutcomeReporterTest {
    private final List<Event> events = new CopyOnWriteArrayList<>();

    private PresetEngine engine(String yaml) {
        PresetEngine engine = PresetEngine.yaml(yaml);
        engine.weir.events().subscribe("test", 10_000, events::add);
        return engine;
    }

    private <E extends Event> List<E> heard(PresetEngine engine, Class<E> kind) {
        engine.weir.events().close(Duration.ofSeconds(5));
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Test
    void everyDecision_isToldOnce() {
        PresetEngine engine =
                engine("limits: [{ name: a, per: [user], rate: 3/min, warn: 60% }]\npenalty: { per: [user] }\n");
        engine.allowed(5, "user", "u", "path", "/x", "secret", "s");
        engine.check("nobody", "x");
        List<Event.Allowed> allowed = heard(engine, Event.Allowed.class);
        assertThat(allowed).extracting(Event.Allowed::remaining).containsExactly(2L, 1L, 0L);
        assertThat(allowed.get(0).attributes()).containsOnly(Map.entry("user", "u"), Map.entry("path", "/x"));
        assertThat(allowed.get(0).at()).isEqualTo(engine.clock.wall());
        assertThat(heard(engine, Event.Warned.class)).hasSize(1);
        List<Event.Denied> denied = heard(engine, Event.Denied.class);
        assertThat(denied).extracting(Event.Denied::consecutiveViolations).containsExactly(1L, 2L);
        assertThat(denied.get(0).limit()).isEqualTo("a");
        assertThat(denied.get(0).scope()).isEqualTo("user");
        assertThat(denied.get(0).reason()).isEqualTo("limited");
        assertThat(denied.get(0).capacity()).isEqualTo(3);
        assertThat(denied.get(0).retryAfter()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void refusals_nameWhomTheyConcern() {
        PresetEngine engine = engine("""
                defaults: { channel: http }
                limits: [{ name: a, per: [agent, channel], rate: 1/day }]
                penalty: { per: [agent], backoff: [1h], reset-after: 2h, enforce: true }
                """);
        for (int i = 0; i < 3; i++) {
            engine.check("agent", "a1", "action", "ping");
        }
        List<Event.Denied> denied = heard(engine, Event.Denied.class);
        assertThat(denied).extracting(Event.Denied::reason).containsExactly("limited", "penalized");
        assertThat(denied.get(0).key()).containsExactly(Map.entry("agent", "a1"), Map.entry("channel", "http"));
        assertThat(denied.get(1).key()).containsExactly(Map.entry("agent", "a1"));
        assertThat(CloudEvent.of(denied.get(0), "/weir").json())
                .contains("\"key\":{\"agent\":\"a1\",\"channel\":\"http\"}")
                .contains("\"action\":\"ping\"");
    }

    @Test
    void refusals_areCountedByLimitAndReason() {
        PresetEngine engine = engine("""
                exempt: { user: [root] }
                limits: [{ name: a, match: { path: /a }, per: [user], rate: 1/day }]
                penalty: { per: [user], backoff: [1h], reset-after: 2h, enforce: true }
                """);
        for (int i = 0; i < 4; i++) {
            engine.check("user", "u", "path", "/a");
        }
        engine.check("user", "root", "path", "/a");
        engine.check("user", "u", "path", "/b");
        engine.weir.check(new Request(Map.of("user", "v", "path", "/a"), 9, Map.of()));
        Counts counts = engine.weir.counts();
        assertThat(counts.deniedBy())
                .containsExactly(
                        Map.entry(new Counts.DeniedBy(null, Reason.PENALIZED), 2L),
                        Map.entry(new Counts.DeniedBy("a", Reason.LIMITED), 1L),
                        Map.entry(new Counts.DeniedBy("a", Reason.IMPOSSIBLE), 1L));
        assertThat(counts.denied()).isEqualTo(4);
        assertThat(counts.exempt()).isEqualTo(1);
        assertThat(counts.notLimited()).isEqualTo(1);
        assertThat(counts.of("a").limited()).isEqualTo(1);
        assertThat(counts.of("a").impossible()).isEqualTo(1);
        assertThat(counts.of("a").unavailable()).isZero();
    }

    @Test
    void derivedAndNormalizedAttributes_areTold() {
        PresetEngine engine = engine("""
                classify: [{ set: resource, from: path, values: { export: ['/export**'] } }]
                limits: [{ name: a, per: [ip], rate: 0/min }]
                """);
        engine.check("ip", "::ffff:192.0.2.1", "path", "//export?x");
        Event.Denied denied = heard(engine, Event.Denied.class).get(0);
        assertThat(denied.attributes())
                .containsEntry("ip", "192.0.2.1")
                .containsEntry("path", "/export")
                .containsEntry("resource", "export");
        assertThat(denied.resource()).isEqualTo("export");
        assertThat(denied.reason()).isEqualTo("impossible");
        assertThat(CloudEvent.of(denied, "/weir").json()).contains("\"resource\":\"export\"");
    }

    @Test
    void longValues_areCutSoThatWhatWaitsStaysSmall() {
        PresetEngine engine = engine("limits: [{ name: a, per: [user], rate: 3/min }]\n");
        engine.check("user", "x".repeat(8000));
        assertThat(heard(engine, Event.Allowed.class).get(0).attributes().get("user"))
                .hasSize(257);
    }

    @Test
    void shadowRefusals_areToldAsSuch() {
        PresetEngine engine = engine("limits: [{ name: a, rate: 1/min, shadow: true }, { name: b, rate: 9/min }]\n");
        engine.allowed(3);
        assertThat(heard(engine, Event.Denied.class)).hasSize(2).allSatisfy(denied -> {
            assertThat(denied.shadow()).isTrue();
            assertThat(denied.limit()).isEqualTo("a");
            assertThat(denied.retryAfter()).isEqualTo(Duration.ofMinutes(1));
        });
        assertThat(heard(engine, Event.Allowed.class)).hasSize(3);
    }

    @Test
    void budgetThatIsUsedUp_isToldWithItsPlan() {
        PresetEngine engine = engine("""
                limits:
                  - name: ai_tokens
                    per: [user]
                    by: plan
                    rate: { free: 100/day, default: 100/day }
                    cost: tokens
                """);
        engine.check("user", "u", "plan", "free", "tokens", "60");
        engine.check("user", "u", "plan", "free", "tokens", "60");
        Event.BudgetExhausted exhausted =
                heard(engine, Event.BudgetExhausted.class).get(0);
        assertThat(exhausted.plan()).isEqualTo("free");
        assertThat(exhausted.budget()).isEqualTo(100);
        assertThat(exhausted.requested()).isEqualTo(60);
        assertThat(heard(engine, Event.Denied.class)).hasSize(1);
    }

    @Test
    void penalizedRequests_areTold() {
        PresetEngine engine = engine("limits: [{ name: a, rate: 1/min }]\npenalty: { per: [user], enforce: true }\n");
        engine.allowed(3, "user", "u");
        assertThat(heard(engine, Event.Denied.class))
                .extracting(Event.Denied::reason)
                .containsExactly("limited", "penalized");
    }

    @Test
    void settingsChanges_areToldWithWhoMadeThem() {
        PresetEngine engine = engine("limits: [{ name: a, rate: 1/min }]\n");
        engine.weir.change(new SettingsChange.AddExempt("alice", engine.clock.wall(), new Subject("user", "u")));
        assertThat(heard(engine, Event.SettingsChanged.class))
                .containsExactly(new Event.SettingsChanged(engine.clock.wall(), 1, "alice"));
    }

    @Test
    void peeks_areNotTold() {
        PresetEngine engine = engine("limits: [{ name: a, rate: 0/min }]\n");
        engine.weir.peek(Request.of(Map.of()));
        assertThat(heard(engine, Event.class)).isEmpty();
    }

    @Test
    void listenerThatThrowsOrHangs_harmsNobody() throws Exception {
        PresetEngine engine = PresetEngine.yaml("limits: [{ name: a, rate: 1000/s }]\n");
        CountDownLatch end = new CountDownLatch(1);
        engine.weir.events().subscribe("throws", 8, event -> {
            throw new IllegalStateException("a listener's bug");
        });
        engine.weir.events().subscribe("hangs", 8, event -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        engine.weir.events().subscribe("well", 1000, events::add);
        assertThat(engine.allowed(500)).isEqualTo(500);
        await().until(() -> events.size() == 500);
        assertThat(engine.weir.events().dropped()).isPositive();
        end.countDown();
    }

    @Test
    void requestsThatSimplyPass_areNotMadeIntoEventsNobodyWants() {
        PresetEngine engine = PresetEngine.yaml("limits: [{ name: a, rate: 2/min }]\n");
        engine.weir.events().subscribe("denials", 100, new EventListener() {
            @Override
            public void on(Event event) {
                events.add(event);
            }

            @Override
            public boolean wantsAllowed() {
                return false;
            }
        });
        engine.allowed(3);
        assertThat(heard(engine, Event.class)).singleElement().isInstanceOf(Event.Denied.class);
        assertThat(engine.weir.events().published()).isEqualTo(1);
    }

    @Test
    void alerts_areRaisedOncePerEpisodeAndSentToTheirWebhook() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        String yaml = """
                limits: [{ name: a, per: [agent], rate: 0/min }]
                alerts: [{ violations: 10, within: 5m, per: [agent], webhook: "http://127.0.0.1:%d/hook" }]
                """.formatted(server.getAddress().getPort());
        try (Weir weir = Weir.of(
                PresetEngine.configuration(yaml),
                MemoryStore.create(),
                new InMemorySettings(),
                WeirOptions.defaults().withWebhooks(WebhookOptions.defaults().withPrivateAllowed()))) {
            weir.events().subscribe("test", 1000, events::add);
            for (int i = 0; i < 50; i++) {
                weir.check(Map.of("agent", "noisy"));
                weir.check(Map.of("agent", "agent" + i));
            }
            await().until(() -> received.size() == 1);
            assertThat(received.get(0)).contains("\"type\":\"dev.weir.alert.v1\"", "\"agent\":\"noisy\"");
            weir.reconfigure(PresetEngine.configuration("limits: [{ name: a, per: [agent], rate: 0/min }]\n"));
            for (int i = 0; i < 50; i++) {
                weir.check(Map.of("agent", "other"));
            }
            await().until(() -> received.size() == 2);
        } finally {
            server.stop(0);
        }
        assertThat(events).filteredOn(Event.Alert.class::isInstance).hasSize(1);
        assertThat(received.get(1)).contains("\"type\":\"dev.weir.alert_ended.v1\"", "\"agent\":\"noisy\"");
    }

    @Test
    void alertWithASecret_isSignedByIt_overTimeAndBody() throws Exception {
        String secret = "a-secret-of-twenty-characters";
        List<String> signatures = new CopyOnWriteArrayList<>();
        List<String> bodies = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            signatures.add(exchange.getRequestHeaders().getFirst("X-Weir-Signature"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        String yaml = """
                limits: [{ name: a, per: [agent], rate: 0/min }]
                alerts: [{ violations: 1, per: [agent], webhook: "http://127.0.0.1:%d/hook", secret: %s }]
                """.formatted(server.getAddress().getPort(), secret);
        try (Weir weir = Weir.of(
                PresetEngine.configuration(yaml),
                MemoryStore.create(),
                new InMemorySettings(),
                WeirOptions.defaults().withWebhooks(WebhookOptions.defaults().withPrivateAllowed()))) {
            weir.check(Map.of("agent", "noisy"));
            await().until(() -> signatures.size() == 1);
        } finally {
            server.stop(0);
        }
        Matcher signature = Pattern.compile("t=([0-9]+),v1=([0-9a-f]{64})").matcher(signatures.get(0));
        assertThat(signature.matches()).as(signatures.get(0)).isTrue();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] signed = mac.doFinal((signature.group(1) + "." + bodies.get(0)).getBytes(StandardCharsets.UTF_8));
        assertThat(signature.group(2)).isEqualTo(HexFormat.of().formatHex(signed));
    }

    @Test
    void counts_areByOutcomeAndByLimitAndOutliveAReload() {
        PresetEngine engine = PresetEngine.yaml("""
                limits:
                  - { name: a, per: [user], rate: 3/min, warn: 60% }
                  - { name: b, rate: 100/min }
                  - { name: c, rate: 1/min, shadow: true }
                """);
        engine.allowed(5, "user", "u");
        engine.weir.check(new Request(Map.of("user", "v"), 50, Map.of()));
        engine.weir.reconfigure(PresetEngine.configuration("limits: [{ name: a, per: [user], rate: 3/min }]\n"));
        engine.check("x", "y");
        Counts counts = engine.weir.counts();
        assertThat(counts.allowed()).isEqualTo(3);
        assertThat(counts.limited()).isEqualTo(2);
        assertThat(counts.impossible()).isEqualTo(1);
        assertThat(counts.denied()).isEqualTo(3);
        assertThat(counts.untouched()).isEqualTo(1);
        assertThat(counts.limits()).extracting(LimitCounts::limit).containsExactly("a", "b", "c");
        LimitCounts a = counts.limits().get(0);
        assertThat(List.of(a.allowed(), a.denied(), a.warned(), a.shadowDenied()))
                .containsExactly(3L, 3L, 1L, 0L);
        LimitCounts c = counts.limits().get(2);
        assertThat(List.of(c.allowed(), c.denied(), c.shadowDenied())).containsExactly(1L, 0L, 2L);
    }
}
