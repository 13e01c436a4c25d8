package dev.weir.server.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.server.check.CheckBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A small JSON object, parsed completely: strings, whole numbers, booleans, lists and objects. For rare calls. A field
 * that is missing or of another type is a {@link ProblemException} that names it.
 */
public final class JsonTree {
    private final Map<String, Object> members;

    private JsonTree(Map<String, Object> members) {
        this.members = members;
    }

    public static JsonTree empty() {
        return new JsonTree(Map.of());
    }

    public static JsonTree read(byte[] body) {
        try (JsonParser json = CheckBody.parser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw ProblemException.badRequest("the body must be a JSON object");
            }
            Map<String, Object> members = object(json);
            if (json.nextToken() != null) {
                throw ProblemException.badRequest("there is something after the JSON object");
            }
            return new JsonTree(members);
        } catch (IOException e) {
            throw CheckBody.malformed(e);
        }
    }

    /** Throws if the object has other members than these. */
    public JsonTree only(String... names) {
        List<String> known = List.of(names);
        members.keySet().forEach(name -> {
            if (!known.contains(name)) {
                throw ProblemException.badField(
                        LogSafeText.text(name),
                        "unknown field '" + LogSafeText.text(name) + "'; choose one of " + String.join(", ", known));
            }
        });
        return this;
    }

    /** Returns a string member, or null if it is missing. */
    @Nullable
    public String text(String name) {
        Object value = members.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw ProblemException.badField(name, name + " must be a text");
    }

    /** Returns a whole number, or null if it is missing. */
    @Nullable
    public Long number(String name) {
        Object value = members.get(name);
        if (value == null || value instanceof Long) {
            return (Long) value;
        }
        throw ProblemException.badField(name, name + " must be a whole number");
    }

    public String needText(String name) {
        String text = text(name);
        if (text == null || text.isEmpty()) {
            throw ProblemException.badField(name, name + " is missing; it must be a text");
        }
        return text;
    }

    public List<String> texts(String name) {
        if (!(members.get(name) instanceof List<?> list)) {
            throw ProblemException.badField(name, name + " must be a list of texts");
        }
        List<String> texts = new ArrayList<>();
        for (Object item : list) {
            if (!(item instanceof String text)) {
                throw ProblemException.badField(name, name + " must be a list of texts");
            }
            texts.add(text);
        }
        return texts;
    }

    public Map<String, String> textMap(String name) {
        return all(name, value -> value instanceof String text ? text : null, "this must be a text");
    }

    public Map<String, Long> numbers(String name) {
        return all(
                name,
                value -> value instanceof Long number && number >= 0 ? number : null,
                "this must be a whole number, 0 or more");
    }

    /** Returns the members of an object; {@code read} returns null for values of the wrong type. */
    private <T> Map<String, T> all(String name, Function<Object, @Nullable T> read, String need) {
        Map<String, T> all = new LinkedHashMap<>();
        map(name, members.get(name)).forEach((key, value) -> {
            T item = read.apply(value);
            if (item == null) {
                throw ProblemException.badField(name + "." + LogSafeText.text(key), need);
            }
            all.put(key, item);
        });
        return all;
    }

    /** Returns rates by limit and row; a rate without a row is the row {@code default}. */
    public Map<String, Map<String, String>> rates(String name) {
        Map<String, Map<String, String>> rates = new LinkedHashMap<>();
        map(name, members.get(name)).forEach((limit, rows) -> {
            String field = name + "." + LogSafeText.text(limit);
            Map<String, String> texts = new LinkedHashMap<>();
            if (isRate(rows)) {
                texts.put("default", String.valueOf(rows));
            } else {
                map(field, rows).forEach((row, rate) -> {
                    if (!isRate(rate)) {
                        throw ProblemException.badField(
                                field + "." + LogSafeText.text(row), "this must be a rate such as \"240/min\"");
                    }
                    texts.put(row, String.valueOf(rate));
                });
            }
            rates.put(limit, texts);
        });
        return rates;
    }

    /** Numbers of concurrency slots are plain numbers. */
    private static boolean isRate(@Nullable Object value) {
        return value instanceof String || value instanceof Long;
    }

    @SuppressWarnings("unchecked") // This class has parsed the object, which has no null in it.
    private static Map<String, Object> map(String field, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> given)) {
            throw ProblemException.badField(
                    field, field + (value == null ? " is missing; it" : "") + " must be an object");
        }
        return (Map<String, Object>) given;
    }

    private static Map<String, Object> object(JsonParser json) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            if (!StrictUtf8.isWhole(name)) {
                throw ProblemException.badField(LogSafeText.text(name), StrictUtf8.HALF);
            }
            if (members.put(name, value(json, name)) != null) {
                throw ProblemException.badField(LogSafeText.text(name), "this field is there twice");
            }
        }
        return members;
    }

    /** Parses a value of a field, or one element of its list. */
    private static Object value(JsonParser json, String field) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(json, field));
                }
                yield items;
            }
            case VALUE_STRING -> {
                if (!StrictUtf8.isWhole(json.getText())) {
                    throw ProblemException.badField(LogSafeText.text(field), StrictUtf8.HALF);
                }
                yield json.getText();
            }
            case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
            case VALUE_NUMBER_INT -> {
                if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                    throw ProblemException.badRequest("the body has a number that is too large");
                }
                yield json.getLongValue();
            }
            case VALUE_NUMBER_FLOAT ->
                throw ProblemException.badRequest("the body has a fraction where a whole number is needed");
            default -> throw ProblemException.badRequest("the body has null where a value is needed; leave it out");
        };
    }
}
