package dev.weir.example.hub;

import dev.weir.engine.Outcome;
import dev.weir.engine.Warning;
import dev.weir.engine.http.HttpDecision;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Formats decisions for agents: frames on the WebSocket, headers and a body on HTTP. Waits are whole seconds. */
final class DecisionFrames {
    private DecisionFrames() {}

    /** {@code {"type":"rate_limited","retry_after_ms":…,"tier":"…"}} */
    static JsonObject refusalFrame(Frame refused, Outcome outcome) {
        return refused.answer("rate_limited")
                .put("retry_after_ms", retryAfterMillis(outcome))
                .put("tier", tier(outcome));
    }

    /** {@code {"type":"rate_limit_warning","tier":"…","remaining":…,"capacity":…}} */
    static JsonObject warningFrame(Outcome outcome, Warning warning) {
        return new JsonObject()
                .put("type", "rate_limit_warning")
                .put("tier", tier(outcome))
                .put("remaining", warning.remaining())
                .put("capacity", warning.capacity());
    }

    /** Returns the body of a 429. */
    static JsonObject refusalBody(Outcome outcome) {
        return new JsonObject()
                .put("error", "rate_limited")
                .put("retry_after_ms", retryAfterMillis(outcome))
                .put("tier", tier(outcome));
    }

    static void headers(Outcome outcome, MultiMap headers) {
        HttpDecision.headers(outcome, System.currentTimeMillis(), headers::set);
    }

    /** Returns null if the request is allowed, or waiting does not help. */
    private static @Nullable Long retryAfterMillis(Outcome outcome) {
        Duration wait = outcome.retryAfter();
        if (wait == null) {
            return null;
        }
        return Math.max(1, HttpDecision.wholeSeconds(wait)) * 1000;
    }

    private static @Nullable String tier(Outcome outcome) {
        return outcome.derived().get("tier");
    }
}
