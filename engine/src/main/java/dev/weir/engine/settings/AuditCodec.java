package dev.weir.engine.settings;

import static dev.weir.engine.settings.SettingsJson.expect;
import static dev.weir.engine.settings.SettingsJson.field;
import static dev.weir.engine.settings.SettingsJson.readLimits;
import static dev.weir.engine.settings.SettingsJson.readSubject;
import static dev.weir.engine.settings.SettingsJson.readText;
import static dev.weir.engine.settings.SettingsJson.readTexts;
import static dev.weir.engine.settings.SettingsJson.readValidityAndEnd;
import static dev.weir.engine.settings.SettingsJson.readValues;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.engine.json.Json;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.Subject;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** Encodes audit entries as one line of JSON each, for any store. */
final class AuditCodec {
    /** The names of the changes in the audit. */
    private static final Map<Class<? extends SettingsChange>, String> KINDS = Map.of(
            SettingsChange.PutOverride.class, "put-override",
            SettingsChange.RemoveOverride.class, "remove-override",
            SettingsChange.ExpireOverride.class, "expire-override",
            SettingsChange.PutDefaults.class, "put-defaults",
            SettingsChange.AddExempt.class, "add-exempt",
            SettingsChange.RemoveExempt.class, "remove-exempt",
            SettingsChange.ExpireExempt.class, "expire-exempt",
            SettingsChange.ReplaceExempt.class, "replace-exempt",
            SettingsChange.ResetBudgets.class, "reset-budgets");

    private AuditCodec() {}

    /** Encodes an audit entry as one line of JSON, without a line feed. */
    static byte[] encode(AuditEntry entry) {
        SettingsChange change = entry.change();
        Json json = Json.newObject(256)
                .field("version", entry.version())
                .field("who", change.who())
                .field("when", change.at().toString())
                .field("change", KINDS.get(change.getClass()));
        Subject subject = change.subject();
        if (subject != null) {
            SettingsJson.writeSubject(json, subject);
        }
        if (change instanceof SettingsChange.PutOverride || change instanceof SettingsChange.PutDefaults) {
            SettingsJson.writeRates(json, "limits", change.limits());
        } else if (change instanceof SettingsChange.ReplaceExempt replace) {
            json.field("attribute", replace.attribute()).field("values", replace.values());
        } else if (change instanceof SettingsChange.ResetBudgets reset) {
            json.field("attributes", reset.attributes());
        }
        SettingsJson.writeValidity(json, change.validity());
        return json.close('}').bytes();
    }

    /**
     * Decodes the audit entry of a line.
     *
     * @throws SettingsException if the line is not an audit entry
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
            throw new SettingsException("is not an audit entry (" + SettingsJson.firstLine(e) + ")", e);
        }
    }

    private static AuditEntry readEntry(JsonParser json) throws IOException {
        field(json, "version");
        expect(json, JsonToken.VALUE_NUMBER_INT);
        long version = json.getLongValue();
        String who = readText(json, "who");
        Instant when = Instant.parse(readText(json, "when"));
        SettingsChange change = readChange(json, who, when, readText(json, "change"));
        return new AuditEntry(version, change);
    }

    private static SettingsChange readChange(JsonParser json, String who, Instant when, String kind)
            throws IOException {
        switch (kind) {
            case "put-override" -> {
                Subject subject = readSubject(json);
                Map<String, Map<String, String>> limits = readLimits(json);
                return new SettingsChange.PutOverride(who, when, subject, limits, readValidityAndEnd(json));
            }
            case "add-exempt" -> {
                Subject subject = readSubject(json);
                return new SettingsChange.AddExempt(who, when, subject, readValidityAndEnd(json));
            }
            case "replace-exempt" -> {
                String attribute = readText(json, "attribute");
                field(json, "values");
                expect(json, JsonToken.START_ARRAY);
                Set<String> values = readValues(json);
                return new SettingsChange.ReplaceExempt(who, when, attribute, values, readValidityAndEnd(json));
            }
            default -> {
                SettingsChange change = readUnlimited(json, who, when, kind);
                expect(json, JsonToken.END_OBJECT);
                return change;
            }
        }
    }

    private static SettingsChange readUnlimited(JsonParser json, String who, Instant when, String kind)
            throws IOException {
        return switch (kind) {
            case "remove-override" -> new SettingsChange.RemoveOverride(who, when, readSubject(json));
            case "expire-override" -> new SettingsChange.ExpireOverride(who, when, readSubject(json));
            case "put-defaults" -> new SettingsChange.PutDefaults(who, when, readLimits(json));
            case "remove-exempt" -> new SettingsChange.RemoveExempt(who, when, readSubject(json));
            case "expire-exempt" -> new SettingsChange.ExpireExempt(who, when, readSubject(json));
            case "reset-budgets" -> {
                field(json, "attributes");
                expect(json, JsonToken.START_OBJECT);
                yield new SettingsChange.ResetBudgets(who, when, readTexts(json));
            }
            default -> throw new IllegalArgumentException("unknown change '" + kind + "'");
        };
    }
}
