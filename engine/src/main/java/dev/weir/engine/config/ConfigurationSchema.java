package dev.weir.engine.config;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.weir.engine.config.schema.ConfigurationKeys;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON Schema (2020-12) of configurations, for editors; built from the same table of keys as the reader. */
public final class ConfigurationSchema {
    private ConfigurationSchema() {}

    /** The schema as JSON text, which ends with a line feed. */
    public static String json() {
        Map<String, Object> definitions = new LinkedHashMap<>();
        definitions.put(
                "placeholder",
                ordered(
                        "description",
                        "A text with a value from the environment: ${NAME} or ${NAME:default}.",
                        "type",
                        "string",
                        "pattern",
                        "\\$\\{"));
        ConfigurationKeys.named().forEach((name, shape) -> definitions.put(name, shape.schema()));
        Map<String, Object> schema = ordered(
                "$schema", "https://json-schema.org/draft/2020-12/schema",
                "title", "Weir configuration");
        schema.putAll(ConfigurationKeys.File.SHAPE.schema());
        schema.put("$defs", definitions);
        return text(schema);
    }

    private static String text(Object value) {
        StringWriter out = new StringWriter();
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
        printer.indentObjectsWith(indenter);
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.setPrettyPrinter(printer);
            write(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.append('\n').toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName((String) entry.getKey());
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Iterable<?> items) {
            json.writeStartArray();
            for (Object item : items) {
                write(json, item);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(String.valueOf(value));
        }
    }
}
