package dev.weir.cli;

import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Reads lines of bounded length: the rest of a longer line is skipped, so that no line can fill the memory. */
final class BoundedLines {
    static final int MOST = 65_536;

    private final Reader reader;
    private final StringBuilder line = new StringBuilder();

    BoundedLines(Reader reader) {
        this.reader = reader;
    }

    /** Returns the next line without its end, cut at {@link #MOST} characters; null at the end of the input. */
    @Nullable
    String next() throws IOException {
        line.setLength(0);
        int c = reader.read();
        if (c < 0) {
            return null;
        }
        for (; c >= 0 && c != '\n'; c = reader.read()) {
            if (line.length() < MOST) {
                line.append((char) c);
            }
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
    }
}
