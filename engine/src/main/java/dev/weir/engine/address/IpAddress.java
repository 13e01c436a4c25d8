package dev.weir.engine.address;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address as bits. Immutable.
 *
 * <p>Only literals are parsed, strictly: no name is ever looked up, and a text with two readings (octal octets, short
 * forms such as {@code 127.1}, zone ids) is not an address. An IPv4-mapped IPv6 address ({@code ::ffff:0:0/96}, in any
 * spelling) is the IPv4 address.
 *
 * @param v6 whether it has 128 bits rather than 32
 * @param high the upper 64 bits; zero for IPv4
 * @param low the lower 64 bits; for IPv4 the lower 32 of them
 */
record IpAddress(boolean v6, long high, long low) {
    private static final long MAPPED = 0xFFFF_0000_0000L;
    private static final int GROUPS = 8;

    static IpAddress v4(long bits) {
        return new IpAddress(false, 0, bits & 0xFFFF_FFFFL);
    }

    /** The address with these bits; an IPv4-mapped address becomes the IPv4 address. */
    static IpAddress v6(long high, long low) {
        return high == 0 && (low & ~0xFFFF_FFFFL) == MAPPED ? v4(low) : new IpAddress(true, high, low);
    }

    static IpAddress of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4 ? v4(bits(bytes, 0, 4)) : v6(bits(bytes, 0, 8), bits(bytes, 8, 16));
    }

    /** The address that {@code text[from, to)} spells; null if it spells none. */
    static @Nullable IpAddress parse(String text, int from, int to) {
        for (int i = from; i < to && i < from + 5; i++) {
            if (text.charAt(i) == ':') {
                return parseV6(text, from, to);
            }
        }
        long bits = parseV4(text, from, to);
        return bits < 0 ? null : v4(bits);
    }

    static @Nullable IpAddress parse(String text) {
        return parse(text, 0, text.length());
    }

    /** The number of bits of the address. */
    int width() {
        return v6 ? 128 : 32;
    }

    /** The address with all but its first {@code prefix} bits cleared; stays IPv6, since it names a network. */
    IpAddress network(int prefix) {
        if (!v6) {
            return v4(low & mask(prefix + 32));
        }
        return new IpAddress(true, high & mask(Math.min(prefix, 64)), low & mask(Math.max(prefix - 64, 0)));
    }

    /** The canonical spelling of RFC 5952. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(v6 ? 39 : 15);
        if (v6) {
            appendV6(text);
        } else {
            text.append(low >>> 24).append('.').append(low >>> 16 & 255).append('.');
            text.append(low >>> 8 & 255).append('.').append(low & 255);
        }
        return text.toString();
    }

    private static long mask(int prefix) {
        return prefix == 0 ? 0 : -1L << (64 - prefix);
    }

    private static long bits(byte[] bytes, int from, int to) {
        long bits = 0;
        for (int i = from; i < to; i++) {
            bits = bits << 8 | (bytes[i] & 255);
        }
        return bits;
    }

    /** Whether this is an IPv4 address in its canonical spelling. */
    static boolean isCanonicalV4(String text) {
        return parseV4(text, 0, text.length()) >= 0;
    }

    /** Four decimal octets without leading zeros, as 32 bits; -1 for any other text. */
    private static long parseV4(String text, int from, int to) {
        long bits = 0;
        int octets = 0;
        int at = from;
        while (true) {
            int start = at;
            int octet = 0;
            while (at < to && at < start + 3 && isDigit(text.charAt(at))) {
                octet = octet * 10 + text.charAt(at++) - '0';
            }
            boolean leadingZero = at > start + 1 && text.charAt(start) == '0';
            if (at == start || octet > 255 || leadingZero) {
                return -1;
            }
            bits = bits << 8 | octet;
            octets++;
            if (octets == 4) {
                return at == to ? bits : -1;
            }
            if (at == to || text.charAt(at++) != '.') {
                return -1;
            }
        }
    }

    /** Parses groups of hexadecimal digits, at most one {@code ::}, and an optional IPv4 address at the end. */
    private static @Nullable IpAddress parseV6(String text, int from, int to) {
        long high = 0;
        long low = 0;
        int groups = 0;
        // The number of groups before the "::"; the others belong to the end of the address.
        int before = -1;
        int at = from;
        if (to - from >= 2 && text.charAt(at) == ':' && text.charAt(at + 1) == ':') {
            before = 0;
            at += 2;
        }
        while (at < to) {
            int start = at;
            int group = 0;
            while (at < to && at < start + 4 && hex(text.charAt(at)) >= 0) {
                group = group << 4 | hex(text.charAt(at++));
            }
            if (at < to && text.charAt(at) == '.') {
                long tail = parseV4(text, start, to);
                if (tail < 0 || groups + 2 > GROUPS) {
                    return null;
                }
                high = high << 32 | low >>> 32;
                low = low << 32 | tail;
                groups += 2;
                break;
            }
            if (at == start || groups == GROUPS) {
                return null;
            }
            high = high << 16 | low >>> 48;
            low = low << 16 | group;
            groups++;
            if (at == to) {
                break;
            }
            if (text.charAt(at++) != ':' || at == to) {
                return null;
            }
            if (text.charAt(at) == ':') {
                if (before >= 0) {
                    return null;
                }
                before = groups;
                at++;
            }
        }
        if (before < 0) {
            return groups == GROUPS ? v6(high, low) : null;
        }
        return groups == GROUPS ? null : spread(high, low, groups, before);
    }

    /** Puts the zeros of {@code ::} between the first {@code before} groups and the others. */
    private static IpAddress spread(long high, long low, int groups, int before) {
        long fullHigh = 0;
        long fullLow = 0;
        for (int i = 0; i < groups; i++) {
            int fromRight = groups - 1 - i;
            long group = (fromRight < 4 ? low >>> (16 * fromRight) : high >>> (16 * (fromRight - 4))) & 0xFFFF;
            int place = i < before ? GROUPS - 1 - i : fromRight;
            if (place < 4) {
                fullLow |= group << (16 * place);
            } else {
                fullHigh |= group << (16 * (place - 4));
            }
        }
        return v6(fullHigh, fullLow);
    }

    private void appendV6(StringBuilder text) {
        int runStart = -1;
        int runLength = 1;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && group(end) == 0) {
                end++;
            }
            if (end - i > runLength) {
                runStart = i;
                runLength = end - i;
            }
            i = Math.max(i, end - 1);
        }
        for (int i = 0; i < GROUPS; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(i)));
            }
        }
    }

    private int group(int index) {
        return (int) ((index < 4 ? high >>> (16 * (3 - index)) : low >>> (16 * (7 - index))) & 0xFFFF);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int hex(char c) {
        if (isDigit(c)) {
            return c - '0';
        }
        int lower = c | 0x20;
        return c < 128 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
