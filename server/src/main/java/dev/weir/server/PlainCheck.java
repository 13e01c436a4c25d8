package dev.weir.server;

import dev.weir.engine.Request;
import dev.weir.engine.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies that nearly all clients send, in one pass and without a parser: attributes that are plain texts, a
 * small cost, an id. Whatever is unusual, right or wrong, is left to {@link CheckBody}, which this always agrees with.
 */
final class PlainCheck {
    private static final int MOST_DIGITS = 9;

    private final byte[] body;
    private int at;
    private @Nullable Map<String, String> attributes;
    private long cost;
    private @Nullable String id;

    private PlainCheck(byte[] body) {
        this.body = body;
    }

    /** The body, or null if it is not plain. */
    static @Nullable CheckBody read(byte[] body, CheckBody.Kind kind) {
        PlainCheck check = new PlainCheck(body);
        return check.members(kind) ? check.result() : null;
    }

    private @Nullable CheckBody result() {
        if (attributes == null) {
            return null;
        }
        try {
            return new CheckBody(new Request(attributes, cost == 0 ? 1 : cost, Map.of()), null, id);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private boolean members(CheckBody.Kind kind) {
        if (!take('{')) {
            return false;
        }
        do {
            String name = text();
            if (name == null || !take(':')) {
                return false;
            }
            boolean isRead = switch (name) {
                case "attributes" -> attributes == null && attributes();
                case "cost" -> cost == 0 && cost();
                case "id" -> kind == CheckBody.Kind.FRAME && id == null && id();
                default -> false;
            };
            if (!isRead) {
                return false;
            }
        } while (take(','));
        return take('}') && isEnd();
    }

    private boolean attributes() {
        Map<String, String> read = new HashMap<>();
        attributes = read;
        if (!take('{')) {
            return false;
        }
        if (take('}')) {
            return true;
        }
        do {
            String name = text();
            String value = name != null && take(':') ? text() : null;
            if (name == null || value == null || read.put(name, value) != null) {
                return false;
            }
        } while (take(','));
        return take('}');
    }

    private boolean cost() {
        skipSpaces();
        int start = at;
        while (at < body.length && body[at] >= '0' && body[at] <= '9' && at - start < MOST_DIGITS) {
            cost = cost * 10 + body[at++] - '0';
        }
        return cost > 0 && body[start] != '0' && at < body.length && !isOfANumber(body[at]);
    }

    /** What would make another number of the digits before it. */
    private static boolean isOfANumber(byte b) {
        return (b >= '0' && b <= '9') || b == '.' || b == 'e' || b == 'E';
    }

    private boolean id() {
        String text = text();
        if (text == null || text.length() > CheckBody.LONGEST_ID) {
            return false;
        }
        id = new Json(text.length() + 16).value(text).toString();
        return true;
    }

    /** A text of plain ASCII without escapes; null for another. */
    private @Nullable String text() {
        if (!take('"')) {
            return null;
        }
        int start = at;
        while (at < body.length && body[at] >= ' ' && body[at] != '"' && body[at] != '\\') {
            at++;
        }
        if (at == body.length || body[at] != '"') {
            return null;
        }
        return new String(body, start, at++ - start, StandardCharsets.ISO_8859_1);
    }

    private boolean take(char sign) {
        skipSpaces();
        if (at < body.length && body[at] == sign) {
            at++;
            return true;
        }
        return false;
    }

    private boolean isEnd() {
        skipSpaces();
        return at == body.length;
    }

    private void skipSpaces() {
        while (at < body.length && body[at] == ' ') {
            at++;
        }
    }
}
