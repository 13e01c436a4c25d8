package dev.weir.engine.http;

import dev.weir.engine.LimitResult;
import dev.weir.engine.config.Rate;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of a caller's limits as a document: its plan, and limit, remaining, reset and window of each resource. */
public final class StatusText {
    private static final Map<Duration, String> WINDOWS = Map.of(
            Duration.ZERO,
            "at a time",
            Duration.ofSeconds(1),
            "per second",
            Duration.ofMinutes(1),
            "per minute",
            Duration.ofHours(1),
            "per hour",
            Duration.ofDays(1),
            "per day",
            Duration.ofDays(7),
            "per week",
            Rate.MONTH,
            "per month");

    private StatusText() {}

    /**
     * The document.
     *
     * @param limits the result of {@link dev.weir.engine.Weir#status}
     */
    public static Json document(@Nullable String plan, List<LimitResult> limits, long nowMillis) {
        Json json = Json.newObject(1024);
        json.field("plan", plan).field("tier", plan).name("limits").open('[');
        for (LimitResult limit : limits) {
            json.open('{')
                    .field("resource", limit.name())
                    .field("name", limit.name())
                    .field("scope", limit.scope())
                    .field("limit", limit.capacity())
                    .field("remaining", Math.max(0, limit.remaining()))
                    .field("reset_at", HttpDecision.resetAt(limit, nowMillis))
                    .field("window", window(limit.window()))
                    .field("window_secs", HttpDecision.wholeSeconds(limit.window()))
                    .close('}');
        }
        return json.close(']').close('}');
    }

    private static String window(Duration window) {
        String name = WINDOWS.get(window);
        return name == null ? "per " + HttpDecision.wholeSeconds(window) + " s" : name;
    }
}
