package dev.weir;

/**
 * The injective text form of a key's parts.
 *
 * <p>A part keeps its printable characters. Escaped are the escape sign, the separator, braces (which choose a slot in
 * a Redis Cluster), control characters, and unpaired surrogates (which UTF-8 cannot carry). Each becomes {@code %XXXX},
 * four hexadecimal digits of the UTF-16 code unit. The result is valid Unicode without controls, and no two parts share
 * one.
 */
final class KeyText {
    private static final String HEX = "0123456789ABCDEF";

    private KeyText() {}

    static void appendEscaped(StringBuilder out, String part) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))) {
                out.append(c).append(part.charAt(++i));
            } else if (isPlain(c)) {
                out.append(c);
            } else {
                appendHex(out, c);
            }
        }
    }

    private static boolean isPlain(char c) {
        return c >= 0x20
                && (c < 0x7F || c > 0x9F)
                && c != '%'
                && c != ':'
                && c != '{'
                && c != '}'
                && !Character.isSurrogate(c);
    }

    private static void appendHex(StringBuilder out, char c) {
        out.append('%');
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX.charAt((c >> shift) & 0xF));
        }
    }
}
