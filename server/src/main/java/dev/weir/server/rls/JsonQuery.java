package dev.weir.server.rls;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.server.check.CheckBody;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.http.LogSafeText;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.StrictUtf8;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@code RateLimitRequest} from the JSON encoding of proto3. A field may have either of its names
 * ({@code hitsAddend}, {@code hits_addend}), a number may be a text, and null is the default. An unknown or repeated
 * field is a {@link ProblemException} that names it.
 */
final class JsonQuery {
    private static final int DESCRIPTOR_NUMBER_BITS = 64;
    private static final int NUMBER_BITS = 32;

    /** Short enough to be cheap: an exponent of many digits would make a number of as much memory. */
    private static final Pattern UNSIGNED = Pattern.compile("[0-9]{1,20}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?");

    private final JsonParser json;

    private JsonQuery(JsonParser json) {
        this.json = json;
    }

    static RateLimitQuery read(byte[] body) {
        try (JsonParser json = CheckBody.parser(body)) {
            json.nextToken();
            QueryBuilder query = new JsonQuery(json).request();
            if (json.nextToken() != null) {
                throw ProblemException.badRequest("there is something after the JSON object");
            }
            return query.build();
        } catch (IOException e) {
            throw CheckBody.malformed(e);
        }
    }

    /** Reads the value of one field of an object. */
    private interface FieldReader {
        /** Returns false if there is no field of this name. */
        boolean read(String name) throws IOException;
    }

    private QueryBuilder request() throws IOException {
        QueryBuilder query = new QueryBuilder();
        object("the body", name -> {
            switch (name) {
                case "domain" -> query.domain(text("domain"));
                case "descriptors" -> list("descriptors", () -> descriptor(query.descriptor()));
                case "hitsAddend", "hits_addend" -> query.hits(number("hits_addend", NUMBER_BITS));
                default -> {
                    return false;
                }
            }
            return true;
        });
        return query;
    }

    private void descriptor(QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        object("descriptors", name -> {
            switch (name) {
                case "entries" -> list("entries", () -> entry(descriptor));
                case "limit" -> {
                    if (json.currentToken() != JsonToken.VALUE_NULL) {
                        descriptor.limit();
                        limit(descriptor);
                    }
                }
                case "hitsAddend", "hits_addend" -> {
                    if (json.currentToken() != JsonToken.VALUE_NULL) {
                        descriptor.hits(number("hits_addend", DESCRIPTOR_NUMBER_BITS));
                    }
                }
                default -> {
                    return false;
                }
            }
            return true;
        });
        descriptor.end();
    }

    private void entry(QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        String[] entry = {"", ""};
        object("entries", name -> {
            switch (name) {
                case "key" -> entry[0] = text("key");
                case "value" -> entry[1] = text("value");
                default -> {
                    return false;
                }
            }
            return true;
        });
        descriptor.entry(entry[0], entry[1]);
    }

    private void limit(QueryBuilder.DescriptorBuilder descriptor) throws IOException {
        object("limit", name -> {
            switch (name) {
                case "requestsPerUnit", "requests_per_unit" ->
                    descriptor.requestsPerUnit(number("requests_per_unit", NUMBER_BITS));
                case "unit" -> descriptor.unit(unit());
                default -> {
                    return false;
                }
            }
            return true;
        });
    }

    /** An enum is its name or its number. */
    private int unit() throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            return (int) number("unit", NUMBER_BITS - 1);
        }
        String name = json.getText();
        for (RateLimitQuery.Unit unit : RateLimitQuery.Unit.values()) {
            if (unit.name().equals(name)) {
                return QueryBuilder.number(unit);
            }
        }
        throw ProblemException.badField("unit", "there is no unit '" + LogSafeText.text(name) + "'");
    }

    private void object(String field, FieldReader fields) throws IOException {
        need(JsonToken.START_OBJECT, field, "an object");
        Set<String> seen = new HashSet<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            if (!seen.add(canonical(name))) {
                throw ProblemException.badField(LogSafeText.text(name), "this field is there twice");
            }
            if (!fields.read(name)) {
                String shown = LogSafeText.text(name);
                throw ProblemException.badField(shown, "unknown field '" + shown + "' in " + field);
            }
        }
    }

    /** Both names of a field in one form. */
    private static String canonical(String name) {
        return switch (name) {
            case "hitsAddend" -> "hits_addend";
            case "requestsPerUnit" -> "requests_per_unit";
            default -> name;
        };
    }

    /** Reads one element of a list. */
    private interface ElementReader {
        void read() throws IOException;
    }

    private void list(String field, ElementReader elements) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        need(JsonToken.START_ARRAY, field, "a list");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            elements.read();
        }
    }

    private String text(String field) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return "";
        }
        need(JsonToken.VALUE_STRING, field, "a text");
        String text = json.getText();
        if (!StrictUtf8.isWhole(text)) {
            throw ProblemException.badField(field, StrictUtf8.HALF);
        }
        return text;
    }

    /**
     * Reads an unsigned whole number, also as a text, and also as {@code 2.0} or {@code 1e3}, as proto3's JSON has them;
     * one of 64 bits that is beyond a long is returned as negative.
     */
    private long number(String field, int bits) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return 0;
        }
        boolean isScalar = json.currentToken().isNumeric() || json.currentToken() == JsonToken.VALUE_STRING;
        BigInteger number = isScalar ? whole(json.getText()) : null;
        if (number == null || number.bitLength() > bits) {
            throw ProblemException.badField(field, field + " must be a whole number of " + bits + " bits, 0 or more");
        }
        return number.longValue();
    }

    /** Returns an unsigned whole number; null if the text is none. */
    private static @Nullable BigInteger whole(String text) {
        if (!UNSIGNED.matcher(text).matches()) {
            return null;
        }
        BigDecimal number = new BigDecimal(text).stripTrailingZeros();
        return number.scale() > 0 ? null : number.toBigIntegerExact();
    }

    private void need(JsonToken token, String field, String what) {
        if (json.currentToken() != token) {
            throw ProblemException.badField(field, field + " must be " + what);
        }
    }
}
