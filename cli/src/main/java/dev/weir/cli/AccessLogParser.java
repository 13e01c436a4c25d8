package dev.weir.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser for a line of an access log: the common and combined formats of Apache and nginx, or a JSON object.
 *
 * <p>In JSON every field with a scalar value is an attribute; the usual field names of web servers are mapped. What a
 * server logs after the request (status, size, user agent) does not identify the client and is ignored.
 */
final class AccessLogParser {
    /**
     * Address, identity, user, time, request. No input can match in two ways, so every line is refused in linear time.
     */
    private static final Pattern COMMON = Pattern.compile(
            "(\\S++) (\\S++) ([^\\[]*+)\\[([^\\]]++)\\] \"((?:[^\"\\\\]|\\\\.)*+)\".*+", Pattern.DOTALL);

    private static final DateTimeFormatter COMMON_TIME =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

    private static final Set<String> TIMES = Set.of("time", "timestamp", "@timestamp", "ts", "time_iso8601", "msec");
    private static final Map<String, String> USUAL_NAMES = Map.of(
            "remote_addr", "ip",
            "client_ip", "ip",
            "remote_user", "user",
            "request_method", "method",
            "request_uri", "path",
            "uri", "path");

    private static final JsonFactory JSON = new JsonFactory();

    private AccessLogParser() {}

    /** Parses a line; returns null if it has none of the formats. */
    static @Nullable LoggedRequest read(String line) {
        try {
            return line.startsWith("{") ? json(line) : common(line);
        } catch (IOException | DateTimeException | ArithmeticException e) {
            return null;
        }
    }

    private static @Nullable LoggedRequest common(String line) {
        Matcher matcher = COMMON.matcher(line);
        if (!matcher.matches()) {
            return null;
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        put(attributes, "ip", matcher.group(1));
        put(attributes, "user", matcher.group(3).strip());
        String[] request = matcher.group(5).split(" ", -1);
        if (request.length >= 2) {
            put(attributes, "method", request[0]);
            put(attributes, "path", request[1]);
        }
        return new LoggedRequest(
                OffsetDateTime.parse(matcher.group(4), COMMON_TIME).toInstant(), attributes);
    }

    private static @Nullable LoggedRequest json(String line) throws IOException {
        Instant at = null;
        Map<String, String> attributes = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(line)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token.isStructStart()) {
                    parser.skipChildren();
                } else if (TIMES.contains(name)) {
                    at = time(parser.getText());
                } else if (token != JsonToken.VALUE_NULL) {
                    put(attributes, USUAL_NAMES.getOrDefault(name, name), parser.getText());
                }
            }
        }
        return at == null ? null : new LoggedRequest(at, attributes);
    }

    /** Parses ISO 8601, or seconds since 1970 with or without a fraction. */
    private static Instant time(String text) {
        if (text.length() > 64) {
            throw new DateTimeException("too long");
        }
        if (!text.matches("\\d+(\\.\\d+)?")) {
            return OffsetDateTime.parse(text).toInstant();
        }
        BigDecimal millis = new BigDecimal(text).movePointRight(3);
        return Instant.ofEpochMilli(millis.toBigInteger().longValueExact());
    }

    /** A dash stands for an unknown value and is not added. */
    private static void put(Map<String, String> attributes, String name, String value) {
        if (!value.isEmpty() && !value.equals("-")) {
            attributes.put(name, value);
        }
    }
}
