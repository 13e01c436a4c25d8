package dev.weir.engine.settings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.weir.spi.settings.Subject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What settings and their audit have in common as JSON: subjects, rates, values, and a strict order of fields. */
final class SettingsJson {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private SettingsJson() {}

    /** Reads bytes. */
    static JsonParser parser(byte[] bytes) throws IOException {
        return JSON.createParser(bytes);
    }

    static void writeSubject(JsonGenerator json, Subject subject) throws IOException {
        json.writeStringField("attribute", subject.attribute());
        json.writeStringField("value", subject.value());
    }

    static Subject readSubject(JsonParser json) throws IOException {
        String attribute = readText(json, "attribute");
        return new Subject(attribute, readText(json, "value"));
    }

    static void writeRates(JsonGenerator json, Map<String, Map<String, String>> limits) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, Map<String, String>> limit : limits.entrySet()) {
            json.writeFieldName(limit.getKey());
            writeTexts(json, limit.getValue());
        }
        json.writeEndObject();
    }

    static void writeTexts(JsonGenerator json, Map<String, String> texts) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, String> text : texts.entrySet()) {
            json.writeStringField(text.getKey(), text.getValue());
        }
        json.writeEndObject();
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

    static void writeValues(JsonGenerator json, Collection<String> values) throws IOException {
        json.writeStartArray();
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
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

    /** Fields have one order, so that nothing can be missing or doubled unseen. */
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

    static byte[] write(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            writing.to(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    interface Writing {
        void to(JsonGenerator json) throws IOException;
    }
}
