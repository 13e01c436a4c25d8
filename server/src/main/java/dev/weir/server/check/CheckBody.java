package dev.weir.server.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.weir.engine.Request;
import dev.weir.engine.config.Durations;
import dev.weir.engine.json.Json;
import dev.weir.server.http.LogSafeText;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.StrictUtf8;
import dev.weir.spi.Nearest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a decision request: the request's attributes, and for some routes how long to hold it or what to echo.
 *
 * <p>Parsing is strict: an unknown, repeated or mistyped field is a {@link ProblemException} that names it. A limit that is
 * silently not applied is worse than a request that fails.
 *
 * @param ttl null if the body does not have it
 * @param id the value to echo, as JSON; null if the body does not have it
 */
public record CheckBody(
        Request request, @Nullable Duration ttl, @Nullable String id) {
    /** Clients choose the field names, so they must not be interned: they would fill the JVM's string table. */
    static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(16)
                    .maxNumberLength(32)
                    .maxNameLength(1024)
                    .build())
            .build();

    private static final List<String> FIELDS = List.of("attributes", "cost", "costs", "ttl", "id");
    static final int LONGEST_ID = 256;

    /** Which fields a route accepts in addition to those of every check. */
    enum Kind {
        CHECK,
        HOLD,
        FRAME
    }

    /** Parses a complete body. */
    static CheckBody read(byte[] body, Kind kind) {
        try (JsonParser json = parser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw ProblemException.badRequest(
                        "the body must be a JSON object such as {\"attributes\": {\"user\": \"u1\"}}");
            }
            CheckBody read = new Reader(json, kind).read();
            if (json.nextToken() != null) {
                throw ProblemException.badRequest("there is something after the JSON object");
            }
            return read;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Returns a parser for a body that must be UTF-8. */
    public static JsonParser parser(byte[] body) throws IOException {
        String text = StrictUtf8.text(body);
        if (text == null) {
            throw ProblemException.badRequest("the body is not UTF-8");
        }
        return JSON.createParser(text);
    }

    /** Returns a problem with the position of the error, without the content there. */
    public static ProblemException malformed(IOException e) {
        if (e instanceof com.fasterxml.jackson.core.JsonProcessingException where && where.getLocation() != null) {
            return ProblemException.badRequest(
                    "the body is not JSON: line " + where.getLocation().getLineNr() + ", column "
                            + where.getLocation().getColumnNr());
        }
        return ProblemException.badRequest("the body is not JSON");
    }

    /** Parses how long to hold something, in the syntax of the configuration: {@code 30s}, {@code 5m}. */
    static Duration ttl(String text) {
        try {
            Duration ttl = Durations.parse(text);
            if (!ttl.isZero()) {
                return ttl;
            }
        } catch (IllegalArgumentException e) {
            // Handled below.
        }
        throw ProblemException.badField("ttl", "ttl must be a duration " + Durations.EXAMPLES);
    }

    /** The state while one body is parsed. */
    private static final class Reader {
        private final JsonParser json;
        private final Kind kind;
        private @Nullable Map<String, String> attributes;
        private @Nullable Long cost;
        private @Nullable Map<String, Long> costs;
        private @Nullable Duration ttl;
        private @Nullable String id;

        Reader(JsonParser json, Kind kind) {
            this.json = json;
            this.kind = kind;
        }

        CheckBody read() throws IOException {
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                switch (name) {
                    case "attributes" -> {
                        once(name, attributes);
                        attributes = attributes();
                    }
                    case "cost" -> {
                        once(name, cost);
                        cost = cost("cost");
                    }
                    case "costs" -> {
                        once(name, costs);
                        costs = costs();
                    }
                    case "ttl" -> {
                        once(name, ttl);
                        ttl = ttlOfHold();
                    }
                    case "id" -> {
                        once(name, id);
                        id = idOfFrame();
                    }
                    default -> throw unknown(name);
                }
            }
            if (attributes == null) {
                throw ProblemException.badField("attributes", "attributes is missing; it must be an object of texts");
            }
            try {
                return new CheckBody(
                        new Request(attributes, cost == null ? 1 : cost, costs == null ? Map.of() : costs), ttl, id);
            } catch (IllegalArgumentException e) {
                throw ProblemException.badField("attributes", String.valueOf(e.getMessage()));
            }
        }

        private static void once(String name, @Nullable Object before) {
            if (before != null) {
                throw ProblemException.badField(name, name + " is there twice");
            }
        }

        private static ProblemException unknown(String name) {
            String hint = Nearest.to(name, FIELDS)
                    .map(near -> "; did you mean '" + near + "'?")
                    .orElse("; choose one of attributes, cost, costs");
            return ProblemException.badField(
                    LogSafeText.text(name), "unknown field '" + LogSafeText.text(name) + "'" + hint);
        }

        private Map<String, String> attributes() throws IOException {
            need(JsonToken.START_OBJECT, "attributes", "an object of texts such as {\"user\": \"u1\"}");
            Map<String, String> read = new HashMap<>();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                String value = json.nextToken() == JsonToken.VALUE_STRING ? json.getText() : plain(name);
                if (!StrictUtf8.isWhole(name) || !StrictUtf8.isWhole(value)) {
                    throw ProblemException.badField(field("attributes", name), StrictUtf8.HALF);
                }
                if (read.put(name, value) != null) {
                    throw ProblemException.badField(field("attributes", name), "this attribute is there twice");
                }
            }
            return read;
        }

        /** Whole numbers and booleans have one spelling, so they may be written without quotes. */
        private String plain(String name) throws IOException {
            return switch (json.currentToken()) {
                case VALUE_NUMBER_INT, VALUE_TRUE, VALUE_FALSE -> json.getText();
                case VALUE_NULL ->
                    throw ProblemException.badField(
                            field("attributes", name), "an attribute is null; leave it out instead");
                default -> throw ProblemException.badField(field("attributes", name), "an attribute must be a text");
            };
        }

        private Map<String, Long> costs() throws IOException {
            need(JsonToken.START_OBJECT, "costs", "an object of whole numbers such as {\"ai_tokens\": 500}");
            Map<String, Long> read = new HashMap<>();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                String field = field("costs", name);
                if (read.put(name, cost(field)) != null) {
                    throw ProblemException.badField(field, "this cost is there twice");
                }
            }
            return read;
        }

        private long cost(String field) throws IOException {
            boolean fits = json.currentToken() == JsonToken.VALUE_NUMBER_INT
                    && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
            long read = fits ? json.getLongValue() : 0;
            if (read < 1 || read > dev.weir.Policy.MAX_COUNT) {
                throw ProblemException.badField(
                        field, field + " must be a whole number from 1 to " + dev.weir.Policy.MAX_COUNT);
            }
            return read;
        }

        private Duration ttlOfHold() throws IOException {
            if (kind != Kind.HOLD) {
                throw unknown("ttl");
            }
            need(JsonToken.VALUE_STRING, "ttl", "a duration such as \"30s\" or \"5m\"");
            return ttl(json.getText());
        }

        private String idOfFrame() throws IOException {
            if (kind != Kind.FRAME) {
                throw unknown("id");
            }
            String text = json.getText();
            if (!StrictUtf8.isWhole(text)) {
                throw ProblemException.badField("id", StrictUtf8.HALF);
            }
            if (text.length() > LONGEST_ID) {
                throw ProblemException.badField(
                        "id", "id has " + text.length() + " characters; it may have " + LONGEST_ID);
            }
            return switch (json.currentToken()) {
                case VALUE_STRING -> new Json(text.length() + 16).value(text).toString();
                case VALUE_NUMBER_INT -> text;
                default -> throw ProblemException.badField("id", "id must be a text or a whole number");
            };
        }

        private void need(JsonToken token, String field, String what) {
            if (json.currentToken() != token) {
                throw ProblemException.badField(field, field + " must be " + what);
            }
        }

        private static String field(String parent, String name) {
            return parent + "." + LogSafeText.text(name);
        }
    }
}
