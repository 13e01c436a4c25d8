package dev.weir.engine.address;

import org.jspecify.annotations.Nullable;

/**
 * One element of {@code Forwarded}: {@code name=value} pairs separated by semicolons; a value is a token or a quoted
 * string.
 *
 * <p>It accepts all of RFC 7239, and two deviations of proxies: blanks around semicolons, and colons and brackets
 * outside quotes ({@code for=[::1]:80}).
 */
final class ForwardedElement {
    private final String text;
    private final int to;
    private int at;

    private ForwardedElement(String text, int from, int to) {
        this.text = text;
        this.at = from;
        this.to = to;
    }

    /** The address of the only {@code for} parameter; null if it is missing, repeated, or anything is malformed. */
    static @Nullable IpAddress readFor(String text, int from, int to) {
        return new ForwardedElement(text, from, to).read();
    }

    private @Nullable IpAddress read() {
        IpAddress found = null;
        boolean seen = false;
        while (true) {
            int name = at;
            skipToken();
            int length = at - name;
            if (length == 0 || at == to || text.charAt(at++) != '=') {
                return null;
            }
            boolean isFor = length == 3 && text.regionMatches(true, name, "for", 0, 3);
            if (isFor && seen) {
                return null;
            }
            int value = at;
            boolean quoted = at < to && text.charAt(at) == '"';
            boolean wellFormed = quoted ? skipQuoted() : skipValue();
            if (!wellFormed) {
                return null;
            }
            if (isFor) {
                seen = true;
                found = quoted ? unquoted(value + 1, at - 1) : HopAddress.parse(text, value, at);
            }
            skipBlanks();
            if (at == to) {
                return found;
            }
            if (text.charAt(at++) != ';') {
                return null;
            }
            skipBlanks();
        }
    }

    private void skipToken() {
        while (at < to && isTokenChar(text.charAt(at))) {
            at++;
        }
    }

    private boolean skipValue() {
        int start = at;
        while (at < to && (isTokenChar(text.charAt(at)) || ":[]".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        return at > start;
    }

    /** Skips a quoted string; false if it does not end. */
    private boolean skipQuoted() {
        at++;
        while (at < to) {
            char c = text.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c == '\\') {
                at++;
            }
        }
        return false;
    }

    private void skipBlanks() {
        while (at < to && Hops.isBlank(text.charAt(at))) {
            at++;
        }
    }

    private @Nullable IpAddress unquoted(int from, int end) {
        int escape = text.indexOf('\\', from);
        if (escape < 0 || escape >= end) {
            return HopAddress.parse(text, from, end);
        }
        StringBuilder plain = new StringBuilder(end - from);
        for (int i = from; i < end; i++) {
            if (text.charAt(i) == '\\') {
                i++;
            }
            plain.append(text.charAt(i));
        }
        return HopAddress.parse(plain.toString(), 0, plain.length());
    }

    /** A tchar of RFC 9110. */
    private static boolean isTokenChar(char c) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
