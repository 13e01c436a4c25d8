package dev.weir.cli.log;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads lines of bounded length as bytes: the rest of a longer line is skipped, so that no line can fill the memory. The
 * current line lies in {@link #bytes} from {@link #start} to {@link #end} until the next call.
 */
final class ByteLines {
    static final int LONGEST = 65_536;

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LINE_FEEDS = 0x0a0a0a0a0a0a0a0aL;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private final InputStream input;
    private final byte[] buffer = new byte[LONGEST * 4];
    private int start;
    private int end;
    /** Where the next line begins. */
    private int next;
    /** The end of what was read. */
    private int filled;

    ByteLines(InputStream input) {
        this.input = input;
    }

    /** Moves to the next line; returns false at the end of the input. */
    boolean next() throws IOException {
        int searched = next;
        while (true) {
            int feed = lineFeed(searched);
            if (feed >= 0) {
                return line(feed, feed + 1);
            }
            int pending = filled - next;
            if (pending >= LONGEST) {
                return longLine();
            }
            if (!fill()) {
                return pending > 0 && line(filled, filled);
            }
            searched = next + pending;
        }
    }

    private boolean line(int lineEnd, int following) {
        start = next;
        end = Math.min(lineEnd, start + LONGEST);
        if (end > start && end == lineEnd && buffer[end - 1] == '\r') {
            end--;
        }
        next = following;
        return true;
    }

    /** The line is longer than the bound: its begin is kept, the rest skipped up to the line feed. */
    private boolean longLine() throws IOException {
        if (next > 0) {
            System.arraycopy(buffer, next, buffer, 0, LONGEST);
        }
        start = 0;
        end = LONGEST;
        filled = LONGEST;
        next = LONGEST;
        while (true) {
            int read = input.read(buffer, LONGEST, buffer.length - LONGEST);
            if (read < 0) {
                return true;
            }
            filled = LONGEST + read;
            int feed = lineFeed(LONGEST);
            if (feed >= 0) {
                next = feed + 1;
                return true;
            }
            next = filled;
        }
    }

    /** Reads more behind the pending bytes, which it moves to the front if needed; returns false at the end. */
    private boolean fill() throws IOException {
        if (filled == buffer.length || next == filled) {
            System.arraycopy(buffer, next, buffer, 0, filled - next);
            filled -= next;
            next = 0;
        }
        int read = input.read(buffer, filled, buffer.length - filled);
        filled += Math.max(0, read);
        return read >= 0;
    }

    /** The index of the first line feed from here; -1 if there is none. Looks at eight bytes at a time. */
    private int lineFeed(int from) {
        int i = from;
        for (; i + 8 <= filled; i += 8) {
            long eight = (long) EIGHT_BYTES.get(buffer, i) ^ LINE_FEEDS;
            long found = (eight - ONES) & ~eight & HIGH_BITS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; i < filled; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    byte[] bytes() {
        return buffer;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    boolean isBlank() {
        for (int i = start; i < end; i++) {
            if (buffer[i] != ' ' && buffer[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
