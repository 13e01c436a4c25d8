package dev.weir.http.retry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parser for lists of strings or tokens with parameters (RFC 9651), as far as rate limit fields use them. A list with
 * any syntax error is ignored, as the standard requires; so is one that is far longer than a real one.
 */
final class FieldList {
    private static final int LONGEST = 8192;
    private static final int MOST_ITEMS = 64;
    private static final int MOST_DIGITS = 15;

    /** An item with those of its parameters that are whole numbers. */
    record Item(String name, Map<String, Long> parameters) {}

    private final String text;
    private int at;

    private FieldList(String text) {
        this.text = text;
    }

    static List<Item> parse(String text) {
        if (text.length() > LONGEST) {
            return List.of();
        }
        try {
            return new FieldList(text).list();
        } catch (Malformed e) {
            return List.of();
        }
    }

    private List<Item> list() {
        List<Item> items = new ArrayList<>();
        skipSpace();
        while (at < text.length()) {
            items.add(item());
            skipSpace();
            if (at < text.length()) {
                expect(',');
                skipSpace();
                // Another item must follow a comma.
                require(at < text.length() && items.size() < MOST_ITEMS);
            }
        }
        return items;
    }

    private Item item() {
        String name = peek() == '"' ? quoted() : token();
        Map<String, Long> parameters = new HashMap<>();
        while (peek() == ';') {
            at++;
            skipSpace();
            String key = token();
            Long number = null;
            if (peek() == '=') {
                at++;
                number = value();
            }
            if (number == null) {
                parameters.remove(key);
            } else {
                parameters.put(key, number);
            }
        }
        return new Item(name, parameters);
    }

    /** Parses a value; returns null if it is not a whole number. */
    private @Nullable Long value() {
        char first = peek();
        if (first == '"') {
            quoted();
            return null;
        }
        int begin = at;
        while (at < text.length() && ";, \t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String raw = text.substring(begin, at);
        require(!raw.isEmpty());
        boolean isNumber = raw.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber && raw.length() <= MOST_DIGITS ? Long.valueOf(raw) : null;
    }

    private String quoted() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (peek() != '"') {
            char c = next();
            if (c == '\\') {
                c = next();
                require(c == '"' || c == '\\');
            }
            require(c >= ' ' && c < 0x7f);
            string.append(c);
        }
        expect('"');
        return string.toString();
    }

    private String token() {
        int begin = at;
        while (at < text.length() && isTokenSign(text.charAt(at))) {
            at++;
        }
        require(at > begin);
        return text.substring(begin, at);
    }

    private static boolean isTokenSign(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "_-.*:/".indexOf(c) >= 0;
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
    }

    /** Returns the next character; NUL at the end, which matches nothing. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char next() {
        require(at < text.length());
        return text.charAt(at++);
    }

    private void expect(char c) {
        require(peek() == c);
        at++;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new Malformed();
        }
    }

    private static final class Malformed extends RuntimeException {
        Malformed() {
            super(null, null, false, false);
        }
    }
}
