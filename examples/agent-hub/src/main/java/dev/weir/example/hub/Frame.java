package dev.weir.example.hub;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A well-formed message of an agent: a JSON object with a {@code type} and the texts that this type requires.
 *
 * @param type such as {@code ping}; may be one that the hub does not know
 * @param id the agent's id of the message, which the reply repeats: a string or a number; null if there is none
 * @param texts the required fields of the type, all present
 */
record Frame(String type, @Nullable Object id, Map<String, String> texts) {
    /** The longest text that an agent may send to others. */
    static final int LONGEST_TEXT = 2048;

    private static final int LONGEST_NAME = 64;
    private static final int LONGEST_TOKEN = 256;

    /** The required fields of each type. A type that is not here requires none. */
    private static final Map<String, List<String>> NEEDS = Map.ofEntries(
            Map.entry("identify", List.of("token")),
            Map.entry("message", List.of("to", "text")),
            Map.entry("channel_subscribe", List.of("channel")),
            Map.entry("channel_unsubscribe", List.of("channel")),
            Map.entry("channel_publish", List.of("channel", "text")),
            Map.entry("channel_history", List.of("channel")),
            Map.entry("task_accepted", List.of("task")),
            Map.entry("task_progress", List.of("task", "text")),
            Map.entry("task_complete", List.of("task", "text")),
            Map.entry("task_failed", List.of("task", "text")),
            Map.entry("task_recovering", List.of("task")));

    /**
     * Parses a frame.
     *
     * @throws HubError with the reason if it is malformed
     */
    static Frame parse(String text) {
        JsonObject json = object(text);
        String type = text(json, "type", LONGEST_NAME);
        Map<String, String> texts = new HashMap<>();
        for (String field : NEEDS.getOrDefault(type, List.of())) {
            texts.put(field, text(json, field, longest(field)));
        }
        return new Frame(type, id(json.getValue("id")), texts);
    }

    /** Returns a required field. */
    String text(String field) {
        String text = texts.get(field);
        if (text == null) {
            throw new IllegalArgumentException(field + " is not a field of " + type);
        }
        return text;
    }

    /** Starts the reply to this frame. */
    JsonObject answer(String answerType) {
        JsonObject answer = new JsonObject().put("type", answerType);
        return id == null ? answer : answer.put("id", id);
    }

    /** Parses a JSON object of a client. Only the outer structure is checked. */
    static JsonObject object(String text) {
        try {
            if (Json.decodeValue(text) instanceof JsonObject json) {
                return json;
            }
        } catch (DecodeException e) {
            // The parser's message quotes the client, so it is not included.
        }
        throw HubError.malformed("this is not a JSON object");
    }

    /** Returns a required string. */
    static String text(JsonObject json, String field, int longest) {
        if (!(json.getValue(field) instanceof String text)) {
            throw HubError.malformed("'" + field + "' must be a string");
        }
        if (text.isEmpty() || text.length() > longest) {
            throw HubError.malformed(
                    "'" + field + "' has " + text.length() + " characters; it must have 1 to " + longest);
        }
        return text;
    }

    private static int longest(String field) {
        return switch (field) {
            case "text" -> LONGEST_TEXT;
            case "token" -> LONGEST_TOKEN;
            default -> LONGEST_NAME;
        };
    }

    private static @Nullable Object id(@Nullable Object id) {
        if (id == null || id instanceof Integer || id instanceof Long) {
            return id;
        }
        if (id instanceof String text && text.length() <= LONGEST_NAME) {
            return id;
        }
        throw HubError.malformed("'id' must be a whole number or a string of at most " + LONGEST_NAME + " characters");
    }
}
