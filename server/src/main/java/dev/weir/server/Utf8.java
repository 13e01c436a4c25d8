package dev.weir.server;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Texts of clients, strictly: what is no text is refused and never repaired, because repairing makes one of two, and whose
 * budget is whose is told by texts.
 */
final class Utf8 {
    /** What to say of a text that is not {@link #isWhole}. */
    static final String HALF = "this has half of a character (an unpaired surrogate); write it whole";

    /** What Java puts in the place of bytes that are no text. */
    private static final char REPLACEMENT = '\ufffd';

    private Utf8() {}

    /** The text that these bytes are; null if they are none. */
    static @Nullable String text(byte[] bytes) {
        String usual = new String(bytes, StandardCharsets.UTF_8);
        if (usual.indexOf(REPLACEMENT) < 0) {
            return usual;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Whether every surrogate has its other half: such a text alone can be written as UTF-8. */
    static boolean isWhole(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean isPair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!isPair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** The text that a header's value is, of which each character is one byte; null if it is none. */
    static @Nullable String ofHeader(String value) {
        return isAscii(value) ? value : text(value.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The text that a part of an address stands for; null if it has a stray percent sign, or if it is none. */
    static @Nullable String ofAddress(String part) {
        if (!isAscii(part)) {
            return null;
        }
        if (part.indexOf('%') < 0) {
            return part;
        }
        byte[] bytes = new byte[part.length()];
        int length = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c != '%') {
                bytes[length++] = (byte) c;
                continue;
            }
            int high = i + 2 < part.length() ? Character.digit(part.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(part.charAt(i + 2), 16);
            if (low < 0) {
                return null;
            }
            bytes[length++] = (byte) (high << 4 | low);
            i += 2;
        }
        return text(Arrays.copyOf(bytes, length));
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7f) {
                return false;
            }
        }
        return true;
    }
}
