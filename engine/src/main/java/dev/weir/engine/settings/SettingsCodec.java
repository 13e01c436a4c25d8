package dev.weir.engine.settings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings as bytes that any store may keep: JSON with a format number and a checksum.
 *
 * <pre>{@code
 * {"weir-settings":1,"sha256":"…","settings":{"version":3,"defaults":{…},"overrides":[…],"exempt":{…}}}
 * }</pre>
 *
 * <p>The checksum is over the bytes of the {@code settings} object. Someone who edits them on purpose writes {@code none}
 * in its place. Everything beyond ASCII is escaped, so that every value comes back as it was, also one that is no valid
 * Unicode.
 */
public final class SettingsCodec {
    /** The format that is written, and the newest that is read. */
    static final int FORMAT = 1;

    private static final String MARK = "weir-settings";
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private SettingsCodec() {}

    /** The settings as one self-describing, checksummed document. */
    public static byte[] encode(SettingsSnapshot snapshot) {
        byte[] settings = write(json -> writeSnapshot(json, snapshot));
        ByteArrayOutputStream document = new ByteArrayOutputStream(settings.length + 128);
        document.writeBytes(ascii("{\"" + MARK + "\":" + FORMAT + ",\"sha256\":\""
                + sha256(settings, 0, settings.length) + "\",\"settings\":"));
        document.writeBytes(settings);
        document.writeBytes(ascii("}\n"));
        return document.toByteArray();
    }

    /**
     * The settings of a document.
     *
     * @throws SettingsException if it is torn, foreign, of a newer format, or changed since it was written; the message
     *     says which, and what to do
     */
    public static SettingsSnapshot decode(byte[] document) {
        if (document.length == 0) {
            throw new SettingsException(
                    "is empty, as after a crash of the machine; restore a copy, or remove it to start"
                            + " without settings");
        }
        try (JsonParser json = JSON.createParser(document)) {
            return readDocument(json, document);
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw new SettingsException(
                    "is torn or no settings (" + firstLine(e) + "); restore a copy, or move it away to start without"
                            + " settings",
                    e);
        }
    }

    /** An audit entry as one line of JSON, without its end. */
    public static byte[] encode(AuditEntry entry) {
        return write(json -> {
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
    public static AuditEntry decodeAudit(byte[] line) {
        try (JsonParser json = JSON.createParser(line)) {
            expect(json, JsonToken.START_OBJECT);
            AuditEntry entry = readEntry(json);
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("something follows the entry");
            }
            return entry;
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw new SettingsException("is no audit entry (" + firstLine(e) + ")", e);
        }
    }

    private static SettingsSnapshot readDocument(JsonParser json, byte[] document) throws IOException {
        boolean ours = json.nextToken() == JsonToken.START_OBJECT && MARK.equals(json.nextFieldName());
        if (!ours || json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
            throw new SettingsException("is no settings file of Weir; move it away, or choose another directory");
        }
        if (json.getLongValue() != FORMAT) {
            throw new SettingsException("has format " + json.getLongValue() + " and this version of Weir reads "
                    + FORMAT + "; use the version that wrote it, or restore an older copy");
        }
        field(json, "sha256");
        expect(json, JsonToken.VALUE_STRING);
        String checksum = json.getText();
        field(json, "settings");
        expect(json, JsonToken.START_OBJECT);
        SettingsSnapshot snapshot = readSnapshot(json);
        expect(json, JsonToken.END_OBJECT);
        if (json.nextToken() != null) {
            throw new IllegalArgumentException("something follows the settings");
        }
        if (!checksum.equals("none") && !checksum.equals(checksumOf(document))) {
            throw new SettingsException(
                    "does not match its checksum: it was damaged, or edited by hand; restore a copy,"
                            + " or, if the edit is yours, write \"sha256\":\"none\"");
        }
        return snapshot;
    }

    /** The checksum of what stands between the field's name and the document's last brace. */
    private static String checksumOf(byte[] document) {
        String text = new String(document, StandardCharsets.ISO_8859_1);
        String name = "\"settings\":";
        return sha256(document, text.indexOf(name) + name.length(), text.lastIndexOf('}'));
    }

    private static void writeSnapshot(JsonGenerator json, SettingsSnapshot snapshot) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", snapshot.version());
        json.writeFieldName("defaults");
        writeRates(json, snapshot.defaults());
        json.writeArrayFieldStart("overrides");
        for (Map.Entry<Subject, Map<String, Map<String, String>>> override :
                snapshot.overrides().entrySet()) {
            json.writeStartObject();
            writeSubject(json, override.getKey());
            json.writeFieldName("limits");
            writeRates(json, override.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("exempt");
        for (Map.Entry<String, Set<String>> exempt : snapshot.exempt().entrySet()) {
            json.writeFieldName(exempt.getKey());
            writeValues(json, exempt.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static SettingsSnapshot readSnapshot(JsonParser json) throws IOException {
        field(json, "version");
        expect(json, JsonToken.VALUE_NUMBER_INT);
        long version = json.getLongValue();
        field(json, "defaults");
        expect(json, JsonToken.START_OBJECT);
        Map<String, Map<String, String>> defaults = readRates(json);
        field(json, "overrides");
        expect(json, JsonToken.START_ARRAY);
        Map<Subject, Map<String, Map<String, String>>> overrides = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            is(json, JsonToken.START_OBJECT);
            Subject subject = readSubject(json);
            if (overrides.put(subject, readLimits(json)) != null) {
                throw new IllegalArgumentException("a subject has two overrides");
            }
            expect(json, JsonToken.END_OBJECT);
        }
        field(json, "exempt");
        expect(json, JsonToken.START_OBJECT);
        Map<String, Set<String>> exempt = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            expect(json, JsonToken.START_ARRAY);
            exempt.put(name, readValues(json));
        }
        is(json, JsonToken.END_OBJECT);
        expect(json, JsonToken.END_OBJECT);
        return new SettingsSnapshot(version, defaults, overrides, exempt);
    }

    private static void writeChange(JsonGenerator json, SettingsChange change) throws IOException {
        json.writeStringField("who", change.who());
        json.writeStringField("when", change.when().toString());
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
        };
    }

    private static void writeSubject(JsonGenerator json, Subject subject) throws IOException {
        json.writeStringField("attribute", subject.attribute());
        json.writeStringField("value", subject.value());
    }

    private static Subject readSubject(JsonParser json) throws IOException {
        String attribute = readText(json, "attribute");
        return new Subject(attribute, readText(json, "value"));
    }

    private static void writeRates(JsonGenerator json, Map<String, Map<String, String>> limits) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, Map<String, String>> limit : limits.entrySet()) {
            json.writeObjectFieldStart(limit.getKey());
            for (Map.Entry<String, String> row : limit.getValue().entrySet()) {
                json.writeStringField(row.getKey(), row.getValue());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static Map<String, Map<String, String>> readLimits(JsonParser json) throws IOException {
        field(json, "limits");
        expect(json, JsonToken.START_OBJECT);
        return readRates(json);
    }

    private static Map<String, Map<String, String>> readRates(JsonParser json) throws IOException {
        Map<String, Map<String, String>> limits = new LinkedHashMap<>();
        for (String limit = json.nextFieldName(); limit != null; limit = json.nextFieldName()) {
            expect(json, JsonToken.START_OBJECT);
            Map<String, String> rows = new LinkedHashMap<>();
            for (String row = json.nextFieldName(); row != null; row = json.nextFieldName()) {
                expect(json, JsonToken.VALUE_STRING);
                rows.put(row, json.getText());
            }
            is(json, JsonToken.END_OBJECT);
            limits.put(limit, rows);
        }
        is(json, JsonToken.END_OBJECT);
        return limits;
    }

    private static void writeValues(JsonGenerator json, Collection<String> values) throws IOException {
        json.writeStartArray();
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    private static Set<String> readValues(JsonParser json) throws IOException {
        Set<String> values = new LinkedHashSet<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            is(json, JsonToken.VALUE_STRING);
            values.add(json.getText());
        }
        return values;
    }

    private static String readText(JsonParser json, String name) throws IOException {
        field(json, name);
        expect(json, JsonToken.VALUE_STRING);
        return json.getText();
    }

    /** Fields have one order, so that nothing can be missing or doubled unseen. */
    private static void field(JsonParser json, String name) throws IOException {
        String found = json.nextFieldName();
        if (!name.equals(found)) {
            throw new IllegalArgumentException("found " + (found == null ? "no field" : "field '" + found + "'")
                    + " where '" + name + "' belongs");
        }
    }

    private static void expect(JsonParser json, JsonToken token) throws IOException {
        json.nextToken();
        is(json, token);
    }

    private static void is(JsonParser json, JsonToken token) {
        @Nullable JsonToken found = json.currentToken();
        if (found != token) {
            throw new IllegalArgumentException(
                    "found " + (found == null ? "the end" : found) + " where " + token + " belongs");
        }
    }

    private static byte[] write(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            writing.to(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static String sha256(byte[] bytes, int from, int to) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, from, to - from);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    private interface Writing {
        void to(JsonGenerator json) throws IOException;
    }

    /** The changes as they are called in the audit. */
    private enum Kind {
        PUT_OVERRIDE("put-override", SettingsChange.PutOverride.class),
        REMOVE_OVERRIDE("remove-override", SettingsChange.RemoveOverride.class),
        PUT_DEFAULTS("put-defaults", SettingsChange.PutDefaults.class),
        ADD_EXEMPT("add-exempt", SettingsChange.AddExempt.class),
        REMOVE_EXEMPT("remove-exempt", SettingsChange.RemoveExempt.class),
        REPLACE_EXEMPT("replace-exempt", SettingsChange.ReplaceExempt.class);

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
