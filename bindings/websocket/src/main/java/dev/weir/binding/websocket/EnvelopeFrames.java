package dev.weir.binding.websocket;

import dev.weir.engine.Outcome;
import dev.weir.engine.Warning;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code {"type":"ERROR","meta":{…},"payload":{"code":…,"message":…,"retryable":…,"retryAfterMs":…}}} */
final class EnvelopeFrames implements Frames {
    @Override
    public String refused(@Nullable String id, Outcome outcome) {
        Duration wait = outcome.retryAfter();
        return wait == null
                ? error(id, Code.FAILED_PRECONDITION, "The cost is above the capacity", null)
                : error(id, Code.RESOURCE_EXHAUSTED, "Rate limit exceeded", Math.max(1, HttpDecision.millis(wait)));
    }

    @Override
    public String warning(Outcome outcome, Warning warning) {
        return Json.newObject(160)
                .field("type", "RATE_LIMIT_WARNING")
                .name("payload")
                .open('{')
                .field("limit", warning.name())
                .field("remaining", warning.remaining())
                .field("capacity", warning.capacity())
                .close('}')
                .close('}')
                .toString();
    }

    @Override
    public String error(@Nullable String id, Code code, String detail, @Nullable Long retryAfterMs) {
        Json json = Json.newObject(200).field("type", "ERROR").name("meta").open('{');
        if (id != null) {
            json.field("correlationId", id);
        }
        json.close('}').name("payload").open('{').field("code", code.name()).field("message", detail);
        json.field("retryable", code == Code.RESOURCE_EXHAUSTED);
        if (retryAfterMs != null) {
            json.field("retryAfterMs", retryAfterMs);
        }
        return json.close('}').close('}').toString();
    }
}
