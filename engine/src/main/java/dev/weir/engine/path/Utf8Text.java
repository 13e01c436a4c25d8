package dev.weir.engine.path;

/** Decodes UTF-8 in a text: as percent escapes, or as bytes that were read as Latin-1. */
final class Utf8Text {
    private Utf8Text() {}

    /** The escaped byte at this index, or -1 if no valid escape begins here. */
    static int escapedByte(String text, int at) {
        if (at + 2 >= text.length() || text.charAt(at) != '%') {
            return -1;
        }
        int high = digit(text.charAt(at + 1));
        int low = digit(text.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    /** The number of escaped bytes of the character that begins here; 0 if they are not UTF-8. */
    static int escapedLength(String text, int at) {
        return length(index -> escapedByte(text, at + 3 * index));
    }

    /** The character of this number of escaped bytes. */
    static int escapedCodePoint(String text, int at, int bytes) {
        return codePoint(index -> escapedByte(text, at + 3 * index), bytes);
    }

    /** The text, in which UTF-8 that was read as Latin-1 is decoded. */
    static String ofLatin1(String text) {
        StringBuilder decoded = null;
        for (int i = 0; i < text.length(); i++) {
            int at = i;
            ByteSource bytes = index -> latin1Byte(text, at + index);
            int length = text.charAt(i) < 0x80 ? 1 : length(bytes);
            if (length > 1) {
                decoded = decoded == null ? new StringBuilder(text.substring(0, i)) : decoded;
                decoded.appendCodePoint(codePoint(bytes, length));
                i += length - 1;
            } else if (decoded != null) {
                decoded.append(text.charAt(i));
            }
        }
        return decoded == null ? text : decoded.toString();
    }

    /** Bytes by their index; -1 beyond the end. */
    private interface ByteSource {
        int at(int index);
    }

    private static int latin1Byte(String text, int at) {
        return at < text.length() && text.charAt(at) <= 0xFF ? text.charAt(at) : -1;
    }

    /**
     * The number of bytes of the first character; 0 if it is not valid UTF-8 (RFC 3629: shortest form, no surrogates).
     */
    private static int length(ByteSource bytes) {
        int first = bytes.at(0);
        if (first >= 0 && first < 0x80) {
            return 1;
        }
        int length = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : 4;
        if (first < 0xC2 || first > 0xF4) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((bytes.at(i) & 0xC0) != 0x80 || bytes.at(i) < 0) {
                return 0;
            }
        }
        int codePoint = codePoint(bytes, length);
        boolean isShortest = codePoint >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000);
        boolean isSurrogate = codePoint >= 0xD800 && codePoint <= 0xDFFF;
        return isShortest && !isSurrogate && codePoint <= Character.MAX_CODE_POINT ? length : 0;
    }

    private static int codePoint(ByteSource bytes, int length) {
        if (length == 1) {
            return bytes.at(0);
        }
        int codePoint = bytes.at(0) & (0xFF >> (length + 1));
        for (int i = 1; i < length; i++) {
            codePoint = codePoint << 6 | (bytes.at(i) & 0x3F);
        }
        return codePoint;
    }

    /** Accepts ASCII only: {@link Character#digit} also accepts digits of other scripts. */
    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }
}
