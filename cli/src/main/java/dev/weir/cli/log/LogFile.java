package dev.weir.cli.log;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** One access log, plain or gzipped, whose requests are read one after the other. For one thread. */
public final class LogFile implements Closeable {
    private static final int GZIP_MAGIC = 0x1f8b;
    private static final int READ_AT_ONCE = 1 << 16;

    private final String name;
    private final CountedInput input;
    private final long length;
    private final ByteLines lines;
    private final AccessLogParser parser = new AccessLogParser();
    private long lineCount;
    private long skipped;
    private long firstSkipped;

    private LogFile(String name, CountedInput input, long length, InputStream plain) {
        this.name = name;
        this.input = input;
        this.length = length;
        this.lines = new ByteLines(plain);
    }

    /** Counts the bytes read, before they are unzipped. */
    private static final class CountedInput extends FilterInputStream {
        private long count;

        CountedInput(InputStream input) {
            super(input);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            count += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] bytes, int from, int most) throws IOException {
            int read = super.read(bytes, from, most);
            count += Math.max(0, read);
            return read;
        }
    }

    /** Opens a file; {@code -} is the given standard input. */
    public static LogFile open(String name, InputStream standardInput) throws IOException {
        boolean isStandard = name.equals("-");
        Path path = Path.of(name);
        CountedInput counted = new CountedInput(isStandard ? standardInput : Files.newInputStream(path));
        try {
            BufferedInputStream input = new BufferedInputStream(counted, READ_AT_ONCE);
            input.mark(2);
            boolean isZipped = (input.read() << 8 | input.read()) == GZIP_MAGIC;
            input.reset();
            long length = isStandard || !Files.isRegularFile(path) ? 0 : Files.size(path);
            return new LogFile(
                    isStandard ? "standard input" : name,
                    counted,
                    length,
                    isZipped ? new GZIPInputStream(input, READ_AT_ONCE) : input);
        } catch (IOException | RuntimeException e) {
            counted.close();
            throw e;
        }
    }

    /** Reads up to the next request; null at the end. Lines of no known format are skipped and counted. */
    @Nullable
    LoggedRequest next() throws IOException {
        while (lines.next()) {
            lineCount++;
            LoggedRequest request = parser.parse(lines.bytes(), lines.start(), lines.end());
            if (request != null) {
                return request;
            }
            if (!lines.isBlank()) {
                skip();
            }
        }
        return null;
    }

    /** Counts the current line as one that was left out. */
    void skip() {
        firstSkipped = skipped == 0 ? lineCount : firstSkipped;
        skipped++;
    }

    public String name() {
        return name;
    }

    /** The number of the line that was read last, from 1; 0 before the first. */
    public long lineCount() {
        return lineCount;
    }

    /** The number of lines that were left out because they have no known format. */
    public long skipped() {
        return skipped;
    }

    /** The number of the first line that was left out; 0 if there is none. */
    public long firstSkipped() {
        return firstSkipped;
    }

    /** The bytes read so far, before they are unzipped. */
    public long bytesRead() {
        return input.count;
    }

    /** The length in bytes; 0 if it is not known. */
    public long length() {
        return length;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
