package dev.weir.server.dashboard;

import dev.weir.engine.Reason;
import dev.weir.engine.event.Event;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a request, as operators see it.
 *
 * @param limit the limit that refused, or else the tightest one; null for a penalty, and if none applied
 */
record DecisionJson(Event event, String reason, @Nullable String limit, Map<String, String> attributes) {
    /** Returns the decision that an event is about; null if it is about none. Shadow limits decide nothing. */
    static @Nullable DecisionJson of(Event event) {
        if (event instanceof Event.Allowed allowed) {
            return new DecisionJson(event, Reason.ALLOWED.text(), allowed.limit(), allowed.attributes());
        }
        if (event instanceof Event.Denied denied && !denied.shadow()) {
            boolean isPenalty = denied.reason().equals(Reason.PENALIZED.text());
            return new DecisionJson(event, denied.reason(), isPenalty ? null : denied.limit(), denied.attributes());
        }
        return null;
    }

    /** Writes the members of an object. */
    void write(Json json) {
        json.field("at", event.at().toEpochMilli())
                .field("allowed", event instanceof Event.Allowed)
                .field("reason", reason)
                .field("limit", limit);
        if (event instanceof Event.Allowed allowed) {
            json.field("remaining", allowed.remaining());
        } else if (event instanceof Event.Denied denied) {
            Duration wait = denied.retryAfter();
            json.field("key", denied.key()).name("retry_after_ms");
            if (wait == null) {
                json.nothing();
            } else {
                json.value(HttpDecision.millis(wait));
            }
        }
        json.field("attributes", new TreeMap<>(attributes));
    }
}
