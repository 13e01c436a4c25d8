package dev.weir.store.consensus;

import java.util.Arrays;

/**
 * Bytes being read that {@link BytesOut} wrote, or somebody hostile did.
 *
 * <p>Whatever is wrong with them is a {@link MalformedException}, and nothing is made that is larger than what they hold.
 */
public final class BytesIn {
    private final byte[] bytes;
    private final int end;
    private int at;

    public BytesIn(byte[] bytes) {
        this.bytes = bytes;
        this.end = bytes.length;
    }

    /** These bytes are not what they should be. */
    public static class MalformedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public MalformedException(String message) {
            super(message);
        }
    }

    private int left() {
        return end - at;
    }

    public int u8() {
        require(1);
        return bytes[at++] & 0xFF;
    }

    public int i32() {
        require(4);
        int value = (bytes[at] & 0xFF) << 24
                | (bytes[at + 1] & 0xFF) << 16
                | (bytes[at + 2] & 0xFF) << 8
                | (bytes[at + 3] & 0xFF);
        at += 4;
        return value;
    }

    public long i64() {
        return ((long) i32() << 32) | (i32() & 0xFFFFFFFFL);
    }

    public long number() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new MalformedException("a number is longer than ten bytes");
    }

    public long signed() {
        long value = number();
        return (value >>> 1) ^ -(value & 1);
    }

    public boolean flag() {
        return u8() != 0;
    }

    /** How many of something follow, each of which takes at least so many bytes. */
    public int count(int leastBytesEach) {
        long count = number();
        if (count < 0 || count > left() / Math.max(1, leastBytesEach)) {
            throw new MalformedException("more is announced than follows");
        }
        return (int) count;
    }

    public byte[] bytes() {
        int length = count(1);
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    @SuppressWarnings("deprecation") // Of ASCII bytes it is exact, and several times faster than any charset.
    public String text() {
        long head = number();
        long length = head >>> 1;
        long size = (head & 1) == 1 ? length : 2 * length;
        if (size < 0 || size > left()) {
            throw new MalformedException("a text is announced that does not follow");
        }
        int from = at;
        at += (int) size;
        if ((head & 1) == 1) {
            return new String(bytes, 0, from, (int) length);
        }
        char[] characters = new char[(int) length];
        for (int i = 0; i < characters.length; i++) {
            characters[i] = (char) ((bytes[from + 2 * i] & 0xFF) << 8 | (bytes[from + 2 * i + 1] & 0xFF));
        }
        return new String(characters);
    }

    /** Refuses what follows the end. */
    public void end() {
        if (at != end) {
            throw new MalformedException(left() + " bytes too many");
        }
    }

    private void require(int length) {
        if (length > end - at) {
            throw new MalformedException("the bytes end too early");
        }
    }
}
