package dev.weir.engine.address;

import org.jspecify.annotations.Nullable;

/**
 * Parses one hop: an address, an address with a port, or an address in brackets with or without a port.
 *
 * <p>{@code unknown}, obfuscated names ({@code _hidden}), zone ids and all other texts are not addresses. IPv6 without
 * brackets is accepted, as many proxies write it; it then has no port.
 */
final class HopAddress {
    private HopAddress() {}

    /** The address in {@code text[from, to)}, without its port; null if there is none. */
    static @Nullable IpAddress parse(String text, int from, int to) {
        if (from == to) {
            return null;
        }
        if (text.charAt(from) == '[') {
            int close = text.indexOf(']', from);
            boolean whole = close > from && close < to && isPortOrNothing(text, close + 1, to);
            IpAddress address = whole ? IpAddress.parse(text, from + 1, close) : null;
            // "[1.2.3.4]" is not a valid spelling; "[::ffff:1.2.3.4]" is.
            return address != null && text.lastIndexOf(':', close) > from ? address : null;
        }
        int colon = text.indexOf(':', from);
        boolean one = colon >= 0 && colon < to && text.lastIndexOf(':', to - 1) == colon;
        if (!one) {
            return IpAddress.parse(text, from, to);
        }
        return isPortOrNothing(text, colon, to) ? IpAddress.parse(text, from, colon) : null;
    }

    /**
     * The address of a connection's peer, as servers print it. A zone id is dropped here, because it comes from the
     * server and not from a client.
     */
    static @Nullable IpAddress peer(String text) {
        int zone = text.indexOf('%');
        boolean bracketed = text.startsWith("[");
        if (zone > 0 && !bracketed) {
            return IpAddress.parse(text, 0, zone);
        }
        return parse(text, 0, text.length());
    }

    /** RFC 7239: a colon and one to five digits, or a colon and an obfuscated port. */
    private static boolean isPortOrNothing(String text, int from, int to) {
        if (from == to) {
            return true;
        }
        if (text.charAt(from) != ':' || to - from < 2) {
            return false;
        }
        if (text.charAt(from + 1) == '_') {
            return isObfuscated(text, from + 2, to);
        }
        int port = 0;
        for (int i = from + 1; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9' || i > from + 5) {
                return false;
            }
            port = port * 10 + c - '0';
        }
        return port <= 65_535;
    }

    private static boolean isObfuscated(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return from < to;
    }
}
