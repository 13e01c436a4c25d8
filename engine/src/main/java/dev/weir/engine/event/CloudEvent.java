package dev.weir.engine.event;

import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as CloudEvents 1.0 in structured JSON. Encode an event once: a receiver recognizes duplicates by the id.
 *
 * <p>Refusals and exhausted budgets have the types and the data fields of the reference system. All other events are
 * {@code dev.weir.NAME.v1}. All characters beyond ASCII are escaped.
 *
 * @param id unique
 * @param json the complete document
 */
public record CloudEvent(String id, String type, String json) {
    static final String RATE_LIMIT_EXCEEDED = "system.rate_limit_exceeded.v1";
    static final String BUDGET_EXHAUSTED = "membership.ai_token_budget_exhausted.v1";

    private static final String UNKNOWN = "unknown";

    /**
     * Encodes an event under a new id.
     *
     * @param source where it happened, a URI reference such as {@code /weir/node-1}
     */
    public static CloudEvent of(Event event, String source) {
        String id = UUID.randomUUID().toString();
        String type = typeOf(event);
        Json json = Json.newObject(512)
                .field("specversion", "1.0")
                .field("id", id)
                .field("source", source)
                .field("type", type);
        String subject = subjectOf(event);
        if (subject != null) {
            json.field("subject", subject);
        }
        json.field("time", event.at().toString())
                .field("datacontenttype", "application/json")
                .name("data")
                .open('{');
        writeData(json, event);
        return new CloudEvent(id, type, json.close('}').close('}').toString());
    }

    private static String typeOf(Event event) {
        if (event instanceof Event.Denied) {
            return RATE_LIMIT_EXCEEDED;
        }
        if (event instanceof Event.BudgetExhausted) {
            return BUDGET_EXHAUSTED;
        }
        String name = event.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_");
        return "dev.weir." + name.toLowerCase(Locale.ROOT) + ".v1";
    }

    private static @Nullable String subjectOf(Event event) {
        if (event instanceof Event.Denied) {
            return "rate_limiter";
        }
        return event instanceof Event.BudgetExhausted exhausted
                ? exhausted.attributes().getOrDefault("user", UNKNOWN)
                : null;
    }

    private static void writeData(Json json, Event event) {
        if (event instanceof Event.Denied denied) {
            writeDenied(json, denied);
        } else if (event instanceof Event.BudgetExhausted exhausted) {
            json.field("user_id", exhausted.attributes().getOrDefault("user", UNKNOWN))
                    .field("tier", exhausted.plan() == null ? UNKNOWN : exhausted.plan())
                    .field("daily_limit", exhausted.budget());
        } else if (event instanceof Event.Allowed allowed) {
            if (allowed.limit() != null) {
                json.field("limit", allowed.limit());
            }
            json.field("remaining", allowed.remaining()).field("attributes", allowed.attributes());
        } else if (event instanceof Event.Warned warned) {
            json.field("limit", warned.limit())
                    .field("remaining", warned.remaining())
                    .field("capacity", warned.capacity())
                    .field("attributes", warned.attributes());
        } else if (event instanceof Event.Alert alert) {
            json.field("name", alert.name())
                    .field("kind", alert.kind().text())
                    .field("subject", alert.subject())
                    .field("observed", alert.observed())
                    .field("threshold", alert.threshold())
                    .field("within_ms", alert.within().toMillis());
        } else if (event instanceof Event.AlertEnded ended) {
            json.field("name", ended.name())
                    .field("kind", ended.kind().text())
                    .field("subject", ended.subject())
                    .field("since", ended.since().toString())
                    .field("last", ended.last().toString())
                    .field("count", ended.count());
        } else if (event instanceof Event.StoreUnavailable unavailable) {
            json.field("cause", unavailable.cause());
        } else if (event instanceof Event.StoreRecovered recovered) {
            json.field("unavailable_ms", recovered.unavailable().toMillis());
        } else if (event instanceof Event.SettingsChanged changed) {
            json.field("version", changed.version());
            if (changed.who() != null) {
                json.field("who", changed.who());
            }
        } else if (event instanceof Event.ConfigurationReloaded reloaded) {
            json.field("source", reloaded.source()).field("changes", String.join("\n", reloaded.changes()));
        } else if (event instanceof Event.ConfigurationRejected rejected) {
            json.field("source", rejected.source()).field("faults", rejected.faults());
        }
        json.field("occurred_at", event.at().toString());
    }

    /** The five fields of the reference system, then the additional ones. */
    private static void writeDenied(Json json, Event.Denied denied) {
        json.field("user_id", denied.attributes().get("user"))
                .field("ip", denied.attributes().getOrDefault("ip", UNKNOWN))
                .field("scope", denied.scope())
                .field("resource", denied.resource())
                .field("limit", denied.capacity())
                .field("limit_name", denied.limit())
                .field("reason", denied.reason())
                .field("key", denied.key())
                .field("attributes", denied.attributes());
        Duration retryAfter = denied.retryAfter();
        if (retryAfter != null) {
            json.field("retry_after_ms", retryAfter.toMillis());
        }
        json.field("consecutive_violations", denied.consecutiveViolations()).field("shadow", denied.shadow());
    }
}
