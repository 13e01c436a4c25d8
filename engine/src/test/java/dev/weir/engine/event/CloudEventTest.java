package dev.weir.engine.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CloudEventTest {
    @Test
    void B9_denied_isRateLimitExceeded() throws Exception {
        Event denied = new Event.Denied(
                Events.NOW,
                Map.of("user", "u1", "ip", "203.0.113.7"),
                Map.of("user", "u1"),
                "ai_completions",
                "user",
                "ai_completions",
                5,
                Duration.ofMillis(1_500),
                3,
                "limited",
                false);

        Map<String, Object> event = read(CloudEvent.of(denied, "/weir/n1"));

        assertThat(event)
                .containsEntry("specversion", "1.0")
                .containsEntry("source", "/weir/n1")
                .containsEntry("type", "system.rate_limit_exceeded.v1")
                .containsEntry("subject", "rate_limiter")
                .containsEntry("time", "2026-01-02T03:04:05.678Z")
                .containsEntry("datacontenttype", "application/json");
        assertThat(data(event))
                .containsEntry("user_id", "u1")
                .containsEntry("ip", "203.0.113.7")
                .containsEntry("scope", "user")
                .containsEntry("resource", "ai_completions")
                .containsEntry("limit", "5")
                .containsEntry("occurred_at", "2026-01-02T03:04:05.678Z")
                .containsEntry("retry_after_ms", "1500")
                .containsEntry("consecutive_violations", "3");
    }

    @Test
    void B9_deniedWithoutUser_hasNullAndNeverHelp() throws Exception {
        Event denied = new Event.Denied(
                Events.NOW, Map.of(), Map.of(), "global", "global", null, 0, null, 0, "impossible", false);

        Map<String, Object> data = data(read(CloudEvent.of(denied, "/weir")));

        assertThat(data)
                .containsEntry("user_id", null)
                .containsEntry("resource", null)
                .containsEntry("ip", "unknown")
                .doesNotContainKey("retry_after_ms");
    }

    @Test
    void B9_budgetExhausted_isTheMembersEvent() throws Exception {
        Event exhausted = new Event.BudgetExhausted(Events.NOW, Map.of("user", "u1"), "ai_tokens", "free", 10_000, 500);

        Map<String, Object> event = read(CloudEvent.of(exhausted, "/weir"));

        assertThat(event)
                .containsEntry("type", "membership.ai_token_budget_exhausted.v1")
                .containsEntry("subject", "u1");
        assertThat(data(event))
                .isEqualTo(Map.of(
                        "user_id",
                        "u1",
                        "tier",
                        "free",
                        "daily_limit",
                        "10000",
                        "occurred_at",
                        "2026-01-02T03:04:05.678Z"));
    }

    static Stream<Event> others() {
        Instant now = Events.NOW;
        return Stream.of(
                new Event.Allowed(now, Map.of("user", "\uD800\"\n"), "general", 3),
                new Event.Warned(now, Map.of(), "general", 3, 60),
                new Event.Alert(
                        now, "abuse", Event.Alert.Kind.VIOLATIONS, Map.of("agent", "a"), 10, 10, Duration.ofMinutes(5)),
                new Event.AlertEnded(now, "abuse", Event.Alert.Kind.VIOLATIONS, Map.of("agent", "a"), now, now, 12),
                new Event.StoreUnavailable(now, "timeout"),
                new Event.StoreRecovered(now, Duration.ofSeconds(3)),
                new Event.SettingsChanged(now, 7, "root"),
                new Event.ConfigurationReloaded(now, "weir.yaml", List.of("a: 1 → 2")),
                new Event.ConfigurationRejected(now, "weir.yaml", "weir.yaml:1:1: bad"));
    }

    @ParameterizedTest
    @MethodSource("others")
    void of_anyOtherEvent_isValid(Event event) throws Exception {
        CloudEvent encoded = CloudEvent.of(event, "/weir");
        Map<String, Object> read = read(encoded);

        assertThat(encoded.type()).matches("dev\\.weir\\.[a-z_]+\\.v1");
        assertThat(read).containsKeys("specversion", "id", "source", "type", "time", "data");
        assertThat(data(read)).containsKey("occurred_at");
        assertThat(encoded.json()).matches("\\p{ASCII}*");
    }

    @Test
    void of_sameEvent_hasAnIdOfItsOwn() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(CloudEvent.of(Events.numbered(1), "/weir").id());
        }

        assertThat(ids).hasSize(1_000);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> data(Map<String, Object> event) {
        return (Map<String, Object>) event.get("data");
    }

    private static Map<String, Object> read(CloudEvent event) throws Exception {
        try (JsonParser json = new JsonFactory().createParser(event.json())) {
            json.nextToken();
            Map<String, Object> read = readObject(json);
            assertThat(json.nextToken()).isNull();
            return read;
        }
    }

    private static Map<String, Object> readObject(JsonParser json) throws Exception {
        Map<String, Object> object = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            JsonToken token = json.nextToken();
            if (token == JsonToken.START_OBJECT) {
                object.put(name, readObject(json));
            } else {
                object.put(name, token == JsonToken.VALUE_NULL ? null : json.getText());
            }
        }
        return object;
    }
}
