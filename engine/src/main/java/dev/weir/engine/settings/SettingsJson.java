package dev.weir.engine.settings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weir.engine.json.Json;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** JSON of both settings and their audit: subjects, rates, values, and a strict order of fields. */
final class SettingsJson {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private SettingsJson() {}

    /** Creates a parser of these bytes. */
    static JsonParser parser(byte[] bytes) throws IOException {
        return JSON.createParser(bytes);
    }

    static void writeSubject(Json json, Subject subject) {
        json.field("attribute", subject.attribute()).field("value", subject.value());
    }

    static Subject readSubject(JsonParser json) throws IOException {
        String attribute = readText(json, "attribute");
        return new Subject(attribute, readText(json, "value"));
    }

    static void writeRates(Json json, String name, Map<String, Map<String, String>> limits) {
        json.name(name).open('{');
        limits.forEach(json::field);
        json.close('}');
    }

    static Map<String, Map<String, String>> readLimits(JsonParser json) throws IOException {
        field(json, "limits");
        expect(json, JsonToken.START_OBJECT);
        return readRates(json);
    }

    static Map<String, Map<String, String>> readRates(JsonParser json) throws IOException {
        Map<String, Map<String, String>> limits = new LinkedHashMap<>();
        for (String limit = json.nextFieldName(); limit != null; limit = json.nextFieldName()) {
            expect(json, JsonToken.START_OBJECT);
            limits.put(limit, readTexts(json));
        }
        is(json, JsonToken.END_OBJECT);
        return limits;
    }

    static Map<String, String> readTexts(JsonParser json) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            expect(json, JsonToken.VALUE_STRING);
            texts.put(name, json.getText());
        }
        is(json, JsonToken.END_OBJECT);
        return texts;
    }

    /** Writes how long a setting holds and why it was made, unless it is unlimited and has no reason. */
    static void writeValidity(Json json, Validity validity) {
        Instant end = validity.expiresAt();
        if (end != null) {
            json.field("expires_at", end.toString());
        }
        if (validity.reason() != null) {
            json.field("reason", validity.reason());
        }
    }

    /** Reads what {@link #writeValidity} wrote, and the end of the object. */
    static Validity readValidityAndEnd(JsonParser json) throws IOException {
        Instant end = null;
        String reason = null;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            expect(json, JsonToken.VALUE_STRING);
            switch (name) {
                case "expires_at" -> end = Instant.parse(json.getText());
                case "reason" -> reason = json.getText();
                default -> throw new IllegalArgumentException("found the unknown field '" + name + "'");
            }
        }
        is(json, JsonToken.END_OBJECT);
        return new Validity(end, reason);
    }

    static Set<String> readValues(JsonParser json) throws IOException {
        Set<String> values = new LinkedHashSet<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            is(json, JsonToken.VALUE_STRING);
            values.add(json.getText());
        }
        return values;
    }

    static String readText(JsonParser json, String name) throws IOException {
        field(json, name);
        expect(json, JsonToken.VALUE_STRING);
        return json.getText();
    }

    /** Reads the name of the next field. Fields have a fixed order, so that a missing or repeated field is detected. */
    static void field(JsonParser json, String name) throws IOException {
        String found = json.nextFieldName();
        if (!name.equals(found)) {
            throw new IllegalArgumentException("found " + (found == null ? "no field" : "field '" + found + "'")
                    + " where '" + name + "' belongs");
        }
    }

    static void expect(JsonParser json, JsonToken token) throws IOException {
        json.nextToken();
        is(json, token);
    }

    static void is(JsonParser json, JsonToken token) {
        @Nullable JsonToken found = json.currentToken();
        if (found != token) {
            throw new IllegalArgumentException(
                    "found " + (found == null ? "the end" : found) + " where " + token + " belongs");
        }
    }

    static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
