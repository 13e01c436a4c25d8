package dev.weir.engine.settings;

import static dev.weir.engine.settings.SettingsJson.expect;
import static dev.weir.engine.settings.SettingsJson.field;
import static dev.weir.engine.settings.SettingsJson.is;
import static dev.weir.engine.settings.SettingsJson.readLimits;
import static dev.weir.engine.settings.SettingsJson.readRates;
import static dev.weir.engine.settings.SettingsJson.readSubject;
import static dev.weir.engine.settings.SettingsJson.readValidityAndEnd;
import static dev.weir.engine.settings.SettingsJson.readValues;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.engine.json.Json;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The format of stored settings: JSON with a format number and a checksum; each change as a line of JSON.
 *
 * <pre>{@code
 * {"weir-settings":1,"sha256":"…","settings":{"version":3,"defaults":{…},"overrides":[…],"exempt":{…}}}
 * }</pre>
 *
 * <p>The checksum covers the bytes of the {@code settings} object. To edit them by hand, write {@code none} as the
 * checksum. All characters beyond ASCII are escaped, so that every value is read as it was written, even one that is
 * not valid Unicode.
 */
public final class JsonSettingsFormat implements SettingsFormat {
    /** The format of settings that only changes end. Older versions of Weir read it. */
    static final int FORMAT = 1;

    /** The newest format that is read: with ends and reasons. It is written only if there are any. */
    static final int FORMAT_WITH_VALIDITY = 2;

    private static final String MARK = "weir-settings";

    @Override
    public byte[] write(SettingsSnapshot snapshot) {
        String settings = text(snapshot);
        byte[] bytes = settings.getBytes(StandardCharsets.US_ASCII);
        Json document = Json.newObject(bytes.length + 128)
                .field(MARK, hasValidity(snapshot) ? FORMAT_WITH_VALIDITY : FORMAT)
                .field("sha256", sha256(bytes, 0, bytes.length))
                .raw("settings", settings);
        return (document.close('}') + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] write(AuditEntry entry) {
        return AuditCodec.encode(entry);
    }

    @Override
    public AuditEntry readEntry(byte[] line) {
        return AuditCodec.decode(line);
    }

    @Override
    public SettingsSnapshot readSnapshot(byte[] document) {
        if (document.length == 0) {
            throw new SettingsException(
                    "is empty, as after a crash of the machine; restore a copy, or remove it to start"
                            + " without settings");
        }
        try (JsonParser json = SettingsJson.parser(document)) {
            return readDocument(json, document);
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw new SettingsException(
                    "is damaged or not a settings file (" + SettingsJson.firstLine(e)
                            + "); restore a copy, or move it away to start without" + " settings",
                    e);
        }
    }

    private static SettingsSnapshot readDocument(JsonParser json, byte[] document) throws IOException {
        boolean ours = json.nextToken() == JsonToken.START_OBJECT && MARK.equals(json.nextFieldName());
        if (!ours || json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
            throw new SettingsException("is not a settings file of Weir; move it away, or choose another directory");
        }
        long format = json.getLongValue();
        if (format < FORMAT || format > FORMAT_WITH_VALIDITY) {
            throw new SettingsException("has format " + format + " and this version of Weir reads up to "
                    + FORMAT_WITH_VALIDITY + "; use the version that wrote it, or restore an older copy");
        }
        field(json, "sha256");
        expect(json, JsonToken.VALUE_STRING);
        String checksum = json.getText();
        field(json, "settings");
        expect(json, JsonToken.START_OBJECT);
        SettingsSnapshot snapshot = readSettings(json);
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

    /** The checksum of the bytes between the field's name and the document's last brace. */
    private static String checksumOf(byte[] document) {
        String text = new String(document, StandardCharsets.ISO_8859_1);
        String name = "\"settings\":";
        return sha256(document, text.indexOf(name) + name.length(), text.lastIndexOf('}'));
    }

    private static String text(SettingsSnapshot snapshot) {
        Json json = Json.newObject(1024).field("version", snapshot.version());
        SettingsJson.writeRates(json, "defaults", snapshot.defaults());
        json.name("overrides").open('[');
        snapshot.overrides().forEach((subject, limits) -> {
            SettingsJson.writeSubject(json.open('{'), subject);
            SettingsJson.writeRates(json, "limits", limits);
            SettingsJson.writeValidity(json, snapshot.overrideValidity().getOrDefault(subject, Validity.UNLIMITED));
            json.close('}');
        });
        json.close(']').name("exempt").open('{');
        snapshot.exempt().forEach(json::field);
        json.close('}');
        if (!snapshot.exemptValidity().isEmpty()) {
            json.name("exempt_validity").open('[');
            snapshot.exemptValidity().forEach((subject, validity) -> {
                SettingsJson.writeSubject(json.open('{'), subject);
                SettingsJson.writeValidity(json, validity);
                json.close('}');
            });
            json.close(']');
        }
        return json.close('}').toString();
    }

    private static boolean hasValidity(SettingsSnapshot snapshot) {
        return !snapshot.overrideValidity().isEmpty()
                || !snapshot.exemptValidity().isEmpty();
    }

    private static SettingsSnapshot readSettings(JsonParser json) throws IOException {
        field(json, "version");
        expect(json, JsonToken.VALUE_NUMBER_INT);
        long version = json.getLongValue();
        field(json, "defaults");
        expect(json, JsonToken.START_OBJECT);
        Map<String, Map<String, String>> defaults = readRates(json);
        field(json, "overrides");
        expect(json, JsonToken.START_ARRAY);
        Map<Subject, Map<String, Map<String, String>>> overrides = new LinkedHashMap<>();
        Map<Subject, Validity> overrideValidity = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            is(json, JsonToken.START_OBJECT);
            Subject subject = readSubject(json);
            if (overrides.put(subject, readLimits(json)) != null) {
                throw new IllegalArgumentException("a subject has two overrides");
            }
            overrideValidity.put(subject, readValidityAndEnd(json));
        }
        field(json, "exempt");
        expect(json, JsonToken.START_OBJECT);
        Map<String, Set<String>> exempt = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            expect(json, JsonToken.START_ARRAY);
            exempt.put(name, readValues(json));
        }
        is(json, JsonToken.END_OBJECT);
        Map<Subject, Validity> exemptValidity = readExemptValidity(json);
        return new SettingsSnapshot(version, defaults, overrides, exempt, overrideValidity, exemptValidity);
    }

    /** Reads the last field, which may be missing, and the end of the object. */
    private static Map<Subject, Validity> readExemptValidity(JsonParser json) throws IOException {
        Map<Subject, Validity> validity = new LinkedHashMap<>();
        String name = json.nextFieldName();
        if (name != null) {
            if (!name.equals("exempt_validity")) {
                throw new IllegalArgumentException("found the unknown field '" + name + "'");
            }
            expect(json, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
                is(json, JsonToken.START_OBJECT);
                Subject subject = readSubject(json);
                validity.put(subject, readValidityAndEnd(json));
            }
            expect(json, JsonToken.END_OBJECT);
        }
        is(json, JsonToken.END_OBJECT);
        return validity;
    }

    private static String sha256(byte[] bytes, int from, int to) {
        return AuditChain.hash(Arrays.copyOfRange(bytes, from, to));
    }
}
