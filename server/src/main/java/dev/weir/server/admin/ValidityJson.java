package dev.weir.server.admin;

import dev.weir.engine.config.Durations;
import dev.weir.engine.json.Json;
import dev.weir.server.http.JsonTree;
import dev.weir.server.http.ProblemException;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How long an override or exemption holds, and why, as JSON: {@code for} or {@code expires_at}, and {@code reason}. */
final class ValidityJson {
    static final String FOR = "for";
    static final String EXPIRES_AT = "expires_at";
    static final String REASON = "reason";
    /** The last time that a calendar with four digits for the year has, in Unix seconds. */
    private static final long LATEST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

    private ValidityJson() {}

    static Validity read(JsonTree body, Instant now) {
        String reason = body.text(REASON);
        try {
            return new Validity(end(body, now), reason == null || reason.isBlank() ? null : reason.strip());
        } catch (IllegalArgumentException e) {
            throw ProblemException.badField(REASON, String.valueOf(e.getMessage()));
        }
    }

    /** Returns when a change ends by itself; null if it does not. */
    static @Nullable Instant end(JsonTree body, Instant now) {
        String duration = body.text(FOR);
        Long at = body.number(EXPIRES_AT);
        if (duration != null && at != null) {
            throw ProblemException.badField(FOR, "for and expires_at both say when it ends; leave one out");
        }
        if (duration != null) {
            return now.plus(parse(duration));
        }
        if (at != null && (at <= now.getEpochSecond() || at > LATEST)) {
            throw ProblemException.badField(EXPIRES_AT, "expires_at must be a time in the future, in Unix seconds");
        }
        return at == null ? null : Instant.ofEpochSecond(at);
    }

    private static Duration parse(String text) {
        Duration duration;
        try {
            duration = Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badField(FOR, "for is not a duration; write one " + Durations.EXAMPLES);
        }
        if (duration.isZero() || duration.toSeconds() > LATEST / 10) {
            throw ProblemException.badField(FOR, "for must be longer than nothing and shorter than 700 years");
        }
        return duration;
    }

    /** Writes the members {@code expires_at}, in Unix seconds, and {@code reason}; each null if there is none. */
    static void write(Json json, Validity validity) {
        Instant end = validity.expiresAt();
        json.name(EXPIRES_AT);
        if (end == null) {
            json.nothing();
        } else {
            // Rounded up: at the time that is shown, it is over.
            json.value(end.getEpochSecond() + (end.getNano() > 0 ? 1 : 0));
        }
        json.field(REASON, validity.reason());
    }

    /** Writes the settings that end by themselves or have a reason, by subject. */
    static void write(Json json, String name, Map<Subject, Validity> validity) {
        json.name(name).open('{');
        validity.forEach((subject, one) -> {
            json.name(subject.attribute() + "=" + subject.value()).open('{');
            write(json, one);
            json.close('}');
        });
        json.close('}');
    }
}
