package dev.weir.store.scripted;

import java.util.Arrays;

/** Encodes and decodes the script's numbers: unsigned and big-endian. */
public final class Bytes {
    private Bytes() {}

    public static byte[] number(long value, int width) {
        byte[] bytes = new byte[width];
        write(value, width, bytes, 0);
        return bytes;
    }

    /** Encodes a number in as few bytes as possible, at least one. */
    public static byte[] shortest(long value) {
        return number(value, Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 7) / 8));
    }

    public static void write(long value, int width, byte[] into, int at) {
        for (int i = width - 1; i >= 0; i--) {
            into[at + width - 1 - i] = (byte) (value >>> (8 * i));
        }
    }

    public static long read(byte[] from, int at, int width) {
        long value = 0;
        for (int i = 0; i < width; i++) {
            value = (value << 8) | (from[at + i] & 0xFF);
        }
        return value;
    }

    public static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] joined = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, joined, at, part.length);
            at += part.length;
        }
        return joined;
    }

    public static byte[] copy(byte[] from, int at, int length) {
        return Arrays.copyOfRange(from, at, at + length);
    }
}
