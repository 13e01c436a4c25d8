package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits per month, from the configuration to the result. */
class CalendarLimitTest {
    private final PresetEngine engine = PresetEngine.yaml("""
            limits:
              - { name: monthly, per: [user], rate: 2/month }
              - { name: berlin, match: { zone: berlin }, per: [user], rate: 2/month, calendar: Europe/Berlin }
              - { name: smooth, match: { kind: smooth }, per: [user], rate: 2/min }
            """);

    @BeforeEach
    void lateInFebruary() {
        engine.clock.set(Instant.parse("2028-02-28T22:59:00Z"));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void month_endsWithTheCalendar_notAfterThirtyDays() {
        assertThat(engine.allowed(3, "user", "u")).isEqualTo(2);
        Outcome refused = engine.check("user", "u");
        assertThat(refused.retryAfter()).as("a leap year's February").isEqualTo(Duration.ofMinutes(1 + 60 + 24 * 60));

        engine.clock.set(Instant.parse("2028-03-01T00:00:00Z"));
        assertThat(engine.allowed(3, "user", "u")).isEqualTo(2);
    }

    @Test
    void month_ofATimeZone_endsWhenItEndsThere() {
        engine.clock.set(Instant.parse("2028-02-29T22:59:00Z"));
        assertThat(engine.weir.status(attributes("user", "u", "zone", "berlin")))
                .extracting(LimitResult::name)
                .contains("berlin");
        engine.allowed(2, "user", "u", "zone", "berlin");
        engine.clock.set(Instant.parse("2028-02-29T23:00:00Z"));
        assertThat(engine.check("user", "v", "zone", "berlin").allowed()).isTrue();
        assertThat(engine.weir.status(attributes("user", "u", "zone", "berlin")))
                .filteredOn(limit -> limit.name().equals("berlin"))
                .allMatch(limit -> limit.remaining() == 2);
    }

    @Test
    void headers_tellTheMeanLengthOfAMonth() {
        Map<String, String> headers = new HashMap<>();
        HttpDecision.headers(engine.check("user", "u"), 0, headers::put);
        assertThat(headers).containsEntry("RateLimit-Policy", "\"monthly\";q=2;w=2629746");
    }

    @Test
    void reset_isTheFirstInstantOfTheNextMonth_howeverLateTheAnswerIsWritten() throws IOException {
        engine.clock.set(Instant.parse("2028-02-28T22:59:00.250Z"));
        long firstOfMarch = Instant.parse("2028-03-01T00:00:00Z").getEpochSecond();
        long decided = engine.clock.wall().toEpochMilli();
        Outcome outcome = engine.check("user", "u");
        for (long late : new long[] {-3, 0, 3, 900}) {
            assertThat(resetOf(outcome, decided + late)).isEqualTo(firstOfMarch);
        }
        Outcome inBerlin = engine.check("user", "v", "zone", "berlin");
        assertThat(resetOf(inBerlin.limits().get(1), decided + 3))
                .isEqualTo(Instant.parse("2028-02-29T23:00:00Z").getEpochSecond());
        assertThat(resetOf(engine.check("user", "w", "kind", "smooth").limits().get(1), decided + 3))
                .as("one of two a minute comes back after 30 s: rounded up")
                .isEqualTo(Instant.parse("2028-02-28T22:59:31Z").getEpochSecond());
        assertThat(resetOf(engine.weir.status(attributes("user", "x")).get(0), decided))
                .as("it is whole")
                .isEqualTo(Instant.parse("2028-02-28T22:59:01Z").getEpochSecond());
    }

    private static long resetOf(Outcome outcome, long nowMillis) throws IOException {
        Map<String, String> headers = new HashMap<>();
        HttpDecision.headers(outcome, nowMillis, headers::put);
        JsonNode document = new ObjectMapper().readTree(HttpDecision.document(outcome, nowMillis));
        long reset = document.get("reset_at").asLong();
        assertThat(headers).containsEntry("X-RateLimit-Reset", Long.toString(reset));
        assertThat(document.at("/details/reset").asLong()).isEqualTo(reset);
        assertThat(document.at("/limits/0/reset_at").asLong()).isEqualTo(reset);
        return reset;
    }

    private static long resetOf(LimitResult limit, long nowMillis) throws IOException {
        Json json = Json.newObject(256);
        HttpDecision.limits(json, List.of(limit), nowMillis);
        return new ObjectMapper()
                .readTree(json.close('}').bytes())
                .at("/limits/0/reset_at")
                .asLong();
    }

    @Test
    void administrators_mayChangeMonths_andOnlyWhereTheLimitHasACalendar() {
        Subject user = new Subject("user", "u");
        Instant now = engine.clock.wall();
        engine.weir.change(
                new SettingsChange.PutOverride("admin", now, user, Map.of("monthly", Map.of("default", "5/month"))));
        assertThat(engine.allowed(9, "user", "u")).isEqualTo(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.weir.change(new SettingsChange.PutOverride(
                        "admin", now, user, Map.of("smooth", Map.of("default", "5/month")))))
                .withMessageContaining("'5/month'; a month has no fixed length; it needs 'algorithm: fixed-window'");
    }
}
