package dev.weir.store.consensus;

import java.util.Arrays;

/** Bytes being written: numbers of variable length, texts and lengths first. Not safe for use by several threads. */
public final class BytesOut {
    private byte[] bytes;
    private int size;

    public BytesOut() {
        this(256);
    }

    public BytesOut(int room) {
        this.bytes = new byte[Math.max(16, room)];
    }

    public int size() {
        return size;
    }

    /** What was written. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** The array behind it, of which {@link #size} bytes count, until more is written. */
    public byte[] array() {
        return bytes;
    }

    /** Forgets what was written from there on. */
    public void truncate(int newSize) {
        size = Math.min(size, newSize);
    }

    public void u8(int value) {
        require(1);
        bytes[size++] = (byte) value;
    }

    public void i32(int value) {
        require(4);
        bytes[size++] = (byte) (value >>> 24);
        bytes[size++] = (byte) (value >>> 16);
        bytes[size++] = (byte) (value >>> 8);
        bytes[size++] = (byte) value;
    }

    public void i64(long value) {
        i32((int) (value >>> 32));
        i32((int) value);
    }

    /** A number in as few bytes as it needs; one that is negative takes ten. */
    public void number(long value) {
        require(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /** A number that may well be negative. */
    public void signed(long value) {
        number((value << 1) ^ (value >> 63));
    }

    public void flag(boolean value) {
        u8(value ? 1 : 0);
    }

    public void bytes(byte[] value) {
        number(value.length);
        raw(value, 0, value.length);
    }

    public void raw(byte[] value, int from, int length) {
        require(length);
        System.arraycopy(value, from, bytes, size, length);
        size += length;
    }

    /** A text of any characters, unpaired surrogates among them. Most are ASCII and take a byte a character. */
    public void text(String text) {
        int length = text.length();
        int begin = size;
        require(length + 6);
        number(((long) length << 1) | 1);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                size = begin;
                wideText(text);
                return;
            }
            bytes[size++] = (byte) c;
        }
    }

    private void wideText(String text) {
        number((long) text.length() << 1);
        require(2 * text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[size++] = (byte) (text.charAt(i) >>> 8);
            bytes[size++] = (byte) text.charAt(i);
        }
    }

    private void require(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), (int)
                    Math.min(Integer.MAX_VALUE - 8, 2L * bytes.length)));
        }
    }
}
