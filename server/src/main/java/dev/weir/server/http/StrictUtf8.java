package dev.weir.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Strict decoding of clients' text. Invalid text is refused and never repaired: repairing could make two different
 * values equal, and text values decide which budget a request draws on.
 */
public final class StrictUtf8 {
    /** Error message for a text that is not {@link #isWhole}. */
    public static final String HALF = "this has half of a character (an unpaired surrogate); write it whole";

    /** The character that Java substitutes for invalid bytes. */
    private static final char REPLACEMENT = '\ufffd';

    private StrictUtf8() {}

    /** Decodes UTF-8; returns null if the bytes are invalid. */
    public static @Nullable String text(byte[] bytes) {
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

    /** Returns whether every surrogate is paired; only such a text can be encoded as UTF-8. */
    public static boolean isWhole(String text) {
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

    /** Decodes a header's value, of which each character is one byte, as UTF-8; returns null if it is invalid. */
    public static @Nullable String ofHeader(String value) {
        return isAscii(value) ? value : text(value.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Decodes a percent-encoded part of a URL; returns null if it has a stray percent sign or is invalid UTF-8. */
    public static @Nullable String ofAddress(String part) {
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
