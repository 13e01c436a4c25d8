package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.http.DecisionText;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits per month, from the configuration to the answer. */
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
        DecisionText.headers(engine.check("user", "u"), 0, headers::put);
        assertThat(headers).containsEntry("RateLimit-Policy", "\"monthly\";q=2;w=2629746");
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
