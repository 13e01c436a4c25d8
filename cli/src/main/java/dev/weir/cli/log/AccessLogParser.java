package dev.weir.cli.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parser for lines of an access log: the common and combined formats of Apache and nginx, or a JSON object.
 *
 * <p>In JSON every field with a scalar value is an attribute; the usual field names of web servers are mapped. What a
 * server logs after the request (status, size, user agent) does not identify the client and is ignored. Each line takes
 * linear time. Keeps the last time and methods seen, so it is for one thread.
 */
final class AccessLogParser {
    private static final Set<String> TIMES = Set.of("time", "timestamp", "@timestamp", "ts", "time_iso8601", "msec");
    private static final Map<String, String> USUAL_NAMES = Map.of(
            "remote_addr", "ip",
            "client_ip", "ip",
            "remote_user", "user",
            "request_method", "method",
            "request_uri", "path",
            "uri", "path");
    /** Requests of these methods share the text. */
    private static final String[] METHODS = {"GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"};

    /** The longest value that the engine accepts, in bytes at most. */
    private static final int LONGEST_VALUE = 8_192;

    private static final JsonFactory JSON = new JsonFactory();

    private final CommonLogTime time = new CommonLogTime();
    private final String[] pairs = new String[8];

    /** Parses the bytes of a line; returns null if they have none of the formats. */
    @Nullable
    LoggedRequest parse(byte[] bytes, int start, int end) {
        if (start < end && bytes[start] == '{') {
            try {
                return json(bytes, start, end);
            } catch (IOException | DateTimeException | ArithmeticException e) {
                return null;
            }
        }
        return common(bytes, start, end);
    }

    /** Address, identity, user, time in brackets, request in quotes; what follows is ignored. */
    private @Nullable LoggedRequest common(byte[] bytes, int start, int end) {
        int address = indexOf(bytes, ' ', start, end);
        int identity = address < 0 ? -1 : indexOf(bytes, ' ', address + 1, end);
        int bracket = identity < 0 ? -1 : indexOf(bytes, '[', identity + 1, end);
        if (bracket < 0 || address == start || identity == address + 1) {
            return null;
        }
        int timeEnd = bracket + 1 + CommonLogTime.LENGTH;
        if (timeEnd + 3 > end || bytes[timeEnd] != ']' || bytes[timeEnd + 1] != ' ' || bytes[timeEnd + 2] != '"') {
            return null;
        }
        long micros = time.micros(bytes, bracket + 1);
        int request = timeEnd + 3;
        int quote = closingQuote(bytes, request, end);
        if (micros == CommonLogTime.NONE
                || quote < 0
                || quote - request > LONGEST_VALUE
                || bracket - start > LONGEST_VALUE) {
            return null;
        }
        int length = put(0, "ip", text(bytes, start, address));
        length = put(length, "user", user(bytes, identity + 1, bracket));
        int method = indexOf(bytes, ' ', request, quote);
        if (method >= 0) {
            int path = indexOf(bytes, ' ', method + 1, quote);
            length = put(length, "method", method(bytes, request, method));
            length = put(length, "path", path(bytes, method + 1, path < 0 ? quote : path));
        }
        return new LoggedRequest(micros, new AttributeMap(Arrays.copyOf(pairs, length)));
    }

    /** Adds an attribute; returns the new length. A dash stands for an unknown value and is not added. */
    private int put(int length, String name, String value) {
        if (value.isEmpty() || value.equals("-")) {
            return length;
        }
        pairs[length] = name;
        pairs[length + 1] = value;
        return length + 2;
    }

    private static int indexOf(byte[] bytes, char wanted, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** The index of the quote that ends the request; a quote behind a backslash does not. */
    private static int closingQuote(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == '\\') {
                i++;
            } else if (bytes[i] == '"') {
                return i;
            }
        }
        return -1;
    }

    private static String user(byte[] bytes, int start, int end) {
        return end == start + 2 && bytes[start] == '-'
                ? "-"
                : text(bytes, start, end).strip();
    }

    private static String method(byte[] bytes, int start, int end) {
        for (String method : METHODS) {
            if (method.length() == end - start && isEqual(method, bytes, start)) {
                return method;
            }
        }
        return text(bytes, start, end);
    }

    private static boolean isEqual(String text, byte[] bytes, int start) {
        for (int i = 0; i < text.length(); i++) {
            if (bytes[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The path without the query, as servers pass it on. */
    private static String path(byte[] bytes, int start, int end) {
        int query = indexOf(bytes, '?', start, end);
        return text(bytes, start, query < 0 ? end : query);
    }

    private static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }

    private static @Nullable LoggedRequest json(byte[] bytes, int start, int end) throws IOException {
        Instant at = null;
        Map<String, String> attributes = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(bytes, start, end - start)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token.isStructStart()) {
                    parser.skipChildren();
                } else if (TIMES.contains(name)) {
                    at = time(parser.getText());
                } else if (token != JsonToken.VALUE_NULL) {
                    String value = parser.getText();
                    if (value.length() > LONGEST_VALUE) {
                        return null;
                    }
                    if (!value.isEmpty() && !value.equals("-")) {
                        attributes.put(USUAL_NAMES.getOrDefault(name, name), value);
                    }
                }
            }
        }
        if (at == null) {
            return null;
        }
        long micros = Math.addExact(Math.multiplyExact(at.getEpochSecond(), 1_000_000L), at.getNano() / 1_000);
        return new LoggedRequest(micros, AttributeMap.copyOf(attributes));
    }

    /** Parses ISO 8601, or seconds since 1970 with or without a fraction. */
    private static Instant time(String text) {
        if (text.length() > 64) {
            throw new DateTimeException("too long");
        }
        if (!text.matches("\\d+(\\.\\d+)?")) {
            return OffsetDateTime.parse(text).toInstant();
        }
        BigDecimal micros = new BigDecimal(text).movePointRight(6);
        return LoggedRequest.instant(micros.toBigInteger().longValueExact());
    }
}
