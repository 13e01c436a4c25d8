package dev.weir.cli.operate;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.server.Logs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response of the server as a tree, for display. A member that is missing is an empty value, so that a newer or older
 * server never makes a command fail. Immutable.
 */
public final class JsonValue {
    private static final JsonFactory JSON = new JsonFactory();
    private static final JsonValue NOTHING = new JsonValue(null, Map.of(), List.of());

    private final @Nullable String scalar;
    private final Map<String, JsonValue> members;
    private final List<JsonValue> items;

    private JsonValue(@Nullable String scalar, Map<String, JsonValue> members, List<JsonValue> items) {
        this.scalar = scalar;
        this.members = members;
        this.items = items;
    }

    /** Parses a document; null if it is not JSON. */
    public static @Nullable JsonValue parse(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            return parser.nextToken() == null ? null : read(parser);
        } catch (IOException e) {
            return null;
        }
    }

    private static JsonValue read(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, JsonValue> members = new LinkedHashMap<>();
                for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    members.put(name, read(parser));
                }
                return new JsonValue(null, members, List.of());
            }
            case START_ARRAY -> {
                List<JsonValue> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(read(parser));
                }
                return new JsonValue(null, Map.of(), items);
            }
            case VALUE_NULL -> {
                return NOTHING;
            }
            default -> {
                return new JsonValue(parser.getText(), Map.of(), List.of());
            }
        }
    }

    /** A member; an empty value if it is missing. */
    public JsonValue get(String name) {
        return members.getOrDefault(name, NOTHING);
    }

    public Map<String, JsonValue> members() {
        return members;
    }

    public List<JsonValue> items() {
        return items;
    }

    /** Whether it is null or missing. */
    public boolean isNothing() {
        return scalar == null && members.isEmpty() && items.isEmpty();
    }

    public boolean isTrue() {
        return "true".equals(scalar);
    }

    /** A number; 0 if it is none. */
    public long number() {
        try {
            return scalar == null ? 0 : Long.parseLong(scalar);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** A scalar as text that a terminal does not interpret; empty if it is none. */
    public String text() {
        return scalar == null ? "" : Logs.printable(scalar);
    }

    /** {@code a=b c=d} of an object's scalars. */
    public String pairs() {
        StringBuilder text = new StringBuilder();
        members.forEach((name, value) -> text.append(text.isEmpty() ? "" : " ")
                .append(Logs.printable(name))
                .append('=')
                .append(value.text()));
        return text.toString();
    }
}
