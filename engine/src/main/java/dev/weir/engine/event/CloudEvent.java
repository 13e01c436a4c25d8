package dev.weir.engine.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as CloudEvents 1.0 in structured JSON (B9). Encode an event once: its id tells a receiver that sees it twice.
 *
 * <p>Refusals and exhausted budgets have the types and the data fields of the reference system; all other events are
 * {@code dev.weir.NAME.v1}. Everything beyond ASCII is escaped.
 *
 * @param id unique
 * @param json the whole document
 */
public record CloudEvent(String id, String type, String json) {
    static final String RATE_LIMIT_EXCEEDED = "system.rate_limit_exceeded.v1";
    static final String BUDGET_EXHAUSTED = "membership.ai_token_budget_exhausted.v1";

    private static final String UNKNOWN = "unknown";
    private static final JsonFactory JSON =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /**
     * Encodes an event under a new id.
     *
     * @param source where it happened, a URI reference such as {@code /weir/node-1}
     */
    public static CloudEvent of(Event event, String source) {
        String id = UUID.randomUUID().toString();
        String type = typeOf(event);
        StringWriter text = new StringWriter(512);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("specversion", "1.0");
            json.writeStringField("id", id);
            json.writeStringField("source", source);
            json.writeStringField("type", type);
            writeOptional(json, "subject", subjectOf(event));
            json.writeStringField("time", event.at().toString());
            json.writeStringField("datacontenttype", "application/json");
            json.writeObjectFieldStart("data");
            writeData(json, event);
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new CloudEvent(id, type, text.toString());
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

    private static void writeData(JsonGenerator json, Event event) throws IOException {
        if (event instanceof Event.Denied denied) {
            writeDenied(json, denied);
        } else if (event instanceof Event.BudgetExhausted exhausted) {
            json.writeStringField("user_id", exhausted.attributes().getOrDefault("user", UNKNOWN));
            json.writeStringField("tier", exhausted.plan() == null ? UNKNOWN : exhausted.plan());
            json.writeNumberField("daily_limit", exhausted.budget());
        } else if (event instanceof Event.Allowed allowed) {
            writeOptional(json, "limit", allowed.limit());
            json.writeNumberField("remaining", allowed.remaining());
            writeAttributes(json, "attributes", allowed.attributes());
        } else if (event instanceof Event.Warned warned) {
            json.writeStringField("limit", warned.limit());
            json.writeNumberField("remaining", warned.remaining());
            json.writeNumberField("capacity", warned.capacity());
            writeAttributes(json, "attributes", warned.attributes());
        } else if (event instanceof Event.Alert alert) {
            writeAlert(json, alert);
        } else if (event instanceof Event.StoreUnavailable unavailable) {
            json.writeStringField("cause", unavailable.cause());
        } else if (event instanceof Event.StoreRecovered recovered) {
            json.writeNumberField("unavailable_ms", recovered.unavailable().toMillis());
        } else if (event instanceof Event.SettingsChanged changed) {
            json.writeNumberField("version", changed.version());
            writeOptional(json, "who", changed.who());
        } else if (event instanceof Event.ConfigurationReloaded reloaded) {
            json.writeStringField("source", reloaded.source());
        } else if (event instanceof Event.ConfigurationRejected rejected) {
            json.writeStringField("source", rejected.source());
            json.writeStringField("faults", rejected.faults());
        }
        json.writeStringField("occurred_at", event.at().toString());
    }

    /** The reference system's five fields, then ours. */
    private static void writeDenied(JsonGenerator json, Event.Denied denied) throws IOException {
        writeNullable(json, "user_id", denied.attributes().get("user"));
        json.writeStringField("ip", denied.attributes().getOrDefault("ip", UNKNOWN));
        json.writeStringField("scope", denied.scope());
        writeNullable(json, "resource", denied.resource());
        json.writeNumberField("limit", denied.capacity());
        json.writeStringField("limit_name", denied.limit());
        json.writeStringField("reason", denied.reason());
        Duration retryAfter = denied.retryAfter();
        if (retryAfter != null) {
            json.writeNumberField("retry_after_ms", retryAfter.toMillis());
        }
        json.writeNumberField("consecutive_violations", denied.consecutiveViolations());
        json.writeBooleanField("shadow", denied.shadow());
    }

    private static void writeAlert(JsonGenerator json, Event.Alert alert) throws IOException {
        json.writeStringField("name", alert.name());
        json.writeStringField("kind", alert.kind().text());
        writeAttributes(json, "subject", alert.subject());
        json.writeNumberField("observed", alert.observed());
        json.writeNumberField("threshold", alert.threshold());
        json.writeNumberField("within_ms", alert.within().toMillis());
    }

    private static void writeAttributes(JsonGenerator json, String name, Map<String, String> attributes)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            json.writeStringField(attribute.getKey(), attribute.getValue());
        }
        json.writeEndObject();
    }

    private static void writeOptional(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }

    private static void writeNullable(JsonGenerator json, String name, @Nullable String value) throws IOException {
        json.writeFieldName(name);
        json.writeString(value);
    }
}
