package dev.weir.engine.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON document as bytes.
 *
 * <p>It is written by hand, because every decision writes a document: there is no generator to set up and no
 * intermediate text. Everything but plain ASCII is escaped, and so are the characters with a meaning in HTML, so that a
 * client's text stays a value wherever the document is used. The caller must close objects and arrays. Not thread-safe.
 */
public final class Json {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    /** The longest escape of one character: {@code \}{@code u001f}. */
    private static final int LONGEST_ESCAPE = 6;

    private static final int LONGEST_NUMBER = 20;

    /** The characters that are written without an escape. */
    private static final boolean[] PLAIN = plain();

    private byte[] bytes;
    private int length;
    /** Whether a comma is due before the next name or value. */
    private boolean comma;

    public Json(int expectedLength) {
        bytes = new byte[expectedLength];
    }

    /** Begins a document of one object. */
    public static Json newObject(int expectedLength) {
        return new Json(expectedLength).open('{');
    }

    /** Begins another document in the same memory; the result of {@link #array} is overwritten. */
    public Json again() {
        length = 0;
        comma = false;
        return this;
    }

    public Json open(char bracket) {
        separate();
        put(bracket);
        comma = false;
        return this;
    }

    public Json close(char bracket) {
        put(bracket);
        comma = true;
        return this;
    }

    public Json name(String name) {
        separate();
        quote(name);
        put(':');
        comma = false;
        return this;
    }

    public Json value(@Nullable String value) {
        if (value == null) {
            return literal(NULL);
        }
        separate();
        quote(value);
        comma = true;
        return this;
    }

    public Json value(long value) {
        separate();
        digits(value);
        comma = true;
        return this;
    }

    public Json value(boolean value) {
        return literal(value ? TRUE : FALSE);
    }

    public Json nothing() {
        return literal(NULL);
    }

    public Json field(String name, @Nullable String value) {
        return name(name).value(value);
    }

    public Json field(String name, long value) {
        return name(name).value(value);
    }

    public Json field(String name, boolean value) {
        return name(name).value(value);
    }

    public Json field(String name, Map<String, String> values) {
        name(name).open('{');
        values.forEach(this::field);
        return close('}');
    }

    public Json field(String name, Iterable<String> values) {
        name(name).open('[');
        values.forEach(this::value);
        return close(']');
    }

    /** Writes a member whose value is already JSON. */
    public Json raw(String name, String json) {
        return name(name).raw(json);
    }

    /** Writes a value that is already JSON, in ASCII. */
    public Json raw(String json) {
        separate();
        for (int i = 0; i < json.length(); i++) {
            put(json.charAt(i));
        }
        comma = true;
        return this;
    }

    /** The buffer: its first {@link #length} bytes are the document, until more is written. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    /** A copy of the document. */
    public byte[] bytes() {
        return bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }

    private Json literal(byte[] text) {
        separate();
        room(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
        comma = true;
        return this;
    }

    private void separate() {
        if (comma) {
            put(',');
        }
    }

    private void quote(String text) {
        // Reserves space once, as if every character were escaped: texts are short.
        room(text.length() * LONGEST_ESCAPE + 2);
        bytes[length++] = '"';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isPlain(c)) {
                bytes[length++] = (byte) c;
            } else if (c == '"' || c == '\\') {
                bytes[length++] = '\\';
                bytes[length++] = (byte) c;
            } else {
                escape(c);
            }
        }
        put('"');
    }

    private static boolean isPlain(char c) {
        return c < PLAIN.length && PLAIN[c];
    }

    private static boolean[] plain() {
        boolean[] plain = new boolean[0x7f];
        for (char c = ' '; c < plain.length; c++) {
            plain[c] = "\"\\<>&".indexOf(c) < 0;
        }
        return plain;
    }

    private void escape(char c) {
        bytes[length++] = '\\';
        bytes[length++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[length++] = HEX[(c >> shift) & 0xf];
        }
    }

    private void digits(long value) {
        room(LONGEST_NUMBER);
        if (value < 0) {
            String text = Long.toString(value);
            for (int i = 0; i < text.length(); i++) {
                bytes[length++] = (byte) text.charAt(i);
            }
            return;
        }
        int count = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            count++;
        }
        long rest = value;
        for (int at = length + count - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += count;
    }

    private void put(char c) {
        room(1);
        bytes[length++] = (byte) c;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
