package dev.weir.engine.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Events for tests. */
final class Events {
    static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

    private Events() {}

    static Event.Denied denied(Instant when, Map<String, String> attributes) {
        return denied(when, attributes, "limited", false);
    }

    static Event.Denied denied(Instant when, Map<String, String> attributes, String reason, boolean shadow) {
        return new Event.Denied(
                when, attributes, attributes, "general", "user", null, 60, Duration.ofSeconds(1), 1, reason, shadow);
    }

    static Event.Allowed allowed(Instant when) {
        return new Event.Allowed(when, Map.of(), null, 0);
    }

    static Event.SettingsChanged numbered(long number) {
        return new Event.SettingsChanged(NOW, number, null);
    }
}
