package dev.weir.binding.websocket;

import dev.weir.engine.Outcome;
import dev.weir.engine.Warning;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code {"type":"rate_limited","retry_after_ms":…,CLASS:"…"}} and {@code {"type":"rate_limit_warning",…}} */
final class PlainFrames implements Frames {
    @Override
    public String refused(@Nullable String id, Outcome outcome) {
        Json json = named("rate_limited", id);
        Duration wait = outcome.retryAfter();
        if (wait == null) {
            json.name("retry_after_ms").nothing();
        } else {
            json.field("retry_after_ms", Math.max(1, HttpDecision.wholeSeconds(wait)) * 1000);
        }
        return HttpDecision.classes(json, outcome).close('}').toString();
    }

    @Override
    public String warning(Outcome outcome, Warning warning) {
        return HttpDecision.classes(named("rate_limit_warning", null), outcome)
                .field("remaining", warning.remaining())
                .field("capacity", warning.capacity())
                .close('}')
                .toString();
    }

    @Override
    public String error(@Nullable String id, Code code, String detail, @Nullable Long retryAfterMs) {
        Json json = named("error", id).field("error", code.name().toLowerCase(Locale.ROOT));
        if (retryAfterMs != null) {
            json.field("retry_after_ms", retryAfterMs);
        }
        return json.field("message", detail).close('}').toString();
    }

    private static Json named(String type, @Nullable String id) {
        Json json = Json.newObject(160).field("type", type);
        return id == null ? json : json.field("id", id);
    }
}
