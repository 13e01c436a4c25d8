package dev.weir.engine.settings;

import static dev.weir.engine.settings.SettingsJson.expect;
import static dev.weir.engine.settings.SettingsJson.field;
import static dev.weir.engine.settings.SettingsJson.readLimits;
import static dev.weir.engine.settings.SettingsJson.readSubject;
import static dev.weir.engine.settings.SettingsJson.readText;
import static dev.weir.engine.settings.SettingsJson.readTexts;
import static dev.weir.engine.settings.SettingsJson.readValues;
import static dev.weir.engine.settings.SettingsJson.writeRates;
import static dev.weir.engine.settings.SettingsJson.writeSubject;
import static dev.weir.engine.settings.SettingsJson.writeTexts;
import static dev.weir.engine.settings.SettingsJson.writeValues;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/** Audit entries as bytes that any store may keep: one line of JSON each. */
final class AuditCodec {
    private AuditCodec() {}

    /** An audit entry as one line of JSON, without its end. */
    static byte[] encode(AuditEntry entry) {
        return SettingsJson.write(json -> {
            json.writeStartObject();
            json.writeNumberField("version", entry.version());
            writeChange(json, entry.change());
            json.writeEndObject();
        });
    }

    /**
     * The audit entry of a line.
     *
     * @throws SettingsException if it is none
     */
    static AuditEntry decode(byte[] line) {
        try (JsonParser json = SettingsJson.parser(line)) {
            expect(json, JsonToken.START_OBJECT);
            AuditEntry entry = readEntry(json);
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("something follows the entry");
            }
            return entry;
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw new SettingsException("is no audit entry (" + SettingsJson.firstLine(e) + ")", e);
        }
    }

    private static void writeChange(JsonGenerator json, SettingsChange change) throws IOException {
        json.writeStringField("who", change.who());
        json.writeStringField("when", change.at().toString());
        json.writeStringField("change", Kind.of(change).text);
        if (change instanceof SettingsChange.PutOverride put) {
            writeSubject(json, put.subject());
            json.writeFieldName("limits");
            writeRates(json, put.limits());
        } else if (change instanceof SettingsChange.RemoveOverride remove) {
            writeSubject(json, remove.subject());
        } else if (change instanceof SettingsChange.PutDefaults put) {
            json.writeFieldName("limits");
            writeRates(json, put.limits());
        } else if (change instanceof SettingsChange.AddExempt add) {
            writeSubject(json, add.subject());
        } else if (change instanceof SettingsChange.RemoveExempt remove) {
            writeSubject(json, remove.subject());
        } else if (change instanceof SettingsChange.ReplaceExempt replace) {
            json.writeStringField("attribute", replace.attribute());
            json.writeFieldName("values");
            writeValues(json, replace.values());
        } else if (change instanceof SettingsChange.ResetBudgets reset) {
            json.writeFieldName("attributes");
            writeTexts(json, reset.attributes());
        }
    }

    private static AuditEntry readEntry(JsonParser json) throws IOException {
        field(json, "version");
        expect(json, JsonToken.VALUE_NUMBER_INT);
        long version = json.getLongValue();
        String who = readText(json, "who");
        Instant when = Instant.parse(readText(json, "when"));
        SettingsChange change = readChange(json, who, when, Kind.of(readText(json, "change")));
        expect(json, JsonToken.END_OBJECT);
        return new AuditEntry(version, change);
    }

    private static SettingsChange readChange(JsonParser json, String who, Instant when, Kind kind) throws IOException {
        return switch (kind) {
            case PUT_OVERRIDE -> new SettingsChange.PutOverride(who, when, readSubject(json), readLimits(json));
            case REMOVE_OVERRIDE -> new SettingsChange.RemoveOverride(who, when, readSubject(json));
            case PUT_DEFAULTS -> new SettingsChange.PutDefaults(who, when, readLimits(json));
            case ADD_EXEMPT -> new SettingsChange.AddExempt(who, when, readSubject(json));
            case REMOVE_EXEMPT -> new SettingsChange.RemoveExempt(who, when, readSubject(json));
            case REPLACE_EXEMPT -> {
                String attribute = readText(json, "attribute");
                field(json, "values");
                expect(json, JsonToken.START_ARRAY);
                yield new SettingsChange.ReplaceExempt(who, when, attribute, readValues(json));
            }
            case RESET_BUDGETS -> {
                field(json, "attributes");
                expect(json, JsonToken.START_OBJECT);
                yield new SettingsChange.ResetBudgets(who, when, readTexts(json));
            }
        };
    }

    /** The changes as they are called in the audit. */
    private enum Kind {
        PUT_OVERRIDE("put-override", SettingsChange.PutOverride.class),
        REMOVE_OVERRIDE("remove-override", SettingsChange.RemoveOverride.class),
        PUT_DEFAULTS("put-defaults", SettingsChange.PutDefaults.class),
        ADD_EXEMPT("add-exempt", SettingsChange.AddExempt.class),
        REMOVE_EXEMPT("remove-exempt", SettingsChange.RemoveExempt.class),
        REPLACE_EXEMPT("replace-exempt", SettingsChange.ReplaceExempt.class),
        RESET_BUDGETS("reset-budgets", SettingsChange.ResetBudgets.class);

        private final String text;
        private final Class<? extends SettingsChange> type;

        Kind(String text, Class<? extends SettingsChange> type) {
            this.text = text;
            this.type = type;
        }

        static Kind of(SettingsChange change) {
            for (Kind kind : values()) {
                if (kind.type.isInstance(change)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("unknown change " + change.getClass());
        }

        static Kind of(String text) {
            for (Kind kind : values()) {
                if (kind.text.equals(text)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("unknown change '" + text + "'");
        }
    }
}
