package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.engine.event.WebhookOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A webhook gets the beginning and the end of each alert that is not muted. */
@Tag("io")
class AlertWebhooksTest {
    private final List<String> posted = new CopyOnWriteArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-02T03:04:05Z"));
    private HttpServer receiver;
    private Weir weir;

    @BeforeEach
    void open() throws Exception {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/";
        weir = Weir.of(
                PresetEngine.configuration("limits: [{ name: a, per: [agent], rate: 1/day }]\n"
                        + "alerts: [{ violations: 3, within: 5m, per: [agent], webhook: \"" + url + "\" }]\n"),
                MemoryStore.create(),
                new InMemorySettings(),
                WeirOptions.defaults()
                        .withClock(now::get)
                        .withWebhooks(WebhookOptions.defaults().withPrivateAllowed()));
    }

    @AfterEach
    void close() {
        weir.close();
        receiver.stop(0);
    }

    private void refuse(String agent) {
        for (int i = 0; i < 4; i++) {
            weir.check(Map.of("agent", agent));
        }
        await().until(() -> weir.alerts().stream()
                .anyMatch(episode -> agent.equals(episode.subject().get("agent"))));
    }

    @Test
    void webhook_getsTheBeginningAndTheEnd() {
        refuse("a1");
        await().untilAsserted(() -> assertThat(posted).hasSize(1));
        assertThat(posted.get(0)).contains("dev.weir.alert.v1");
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(6)));
        await().untilAsserted(() -> assertThat(posted).hasSize(2));
        assertThat(posted.get(1)).contains("dev.weir.alert_ended.v1", "\"agent\":\"a1\"", "\"count\":3");
        assertThat(weir.alerts()).isEmpty();
    }

    @Test
    void mutedAlert_isNotPosted_untilItsTimeIsOver() {
        Instant end = now.get().plus(Duration.ofMinutes(30));
        weir.muteAlert(weir.configuration().alerts().get(0).name(), Map.of("agent", "a1"), end);
        refuse("a1");
        refuse("a2");
        await().untilAsserted(() -> assertThat(posted).hasSize(1));
        assertThat(posted.get(0)).contains("\"agent\":\"a2\"");
        now.set(end);
        await().untilAsserted(() -> assertThat(posted).hasSize(2));
        await().until(() -> weir.alerts().isEmpty());
        refuse("a1");
        await().untilAsserted(() -> assertThat(posted).hasSize(3));
        assertThat(posted).noneMatch(text -> text.contains("alert_ended") && text.contains("\"a1\""));
    }
}
