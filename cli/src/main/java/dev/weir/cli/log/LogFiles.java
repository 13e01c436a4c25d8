package dev.weir.cli.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several access logs as one, in the order of time: parts of a rotated log in any order, or the logs of several servers.
 * For one thread.
 */
public final class LogFiles implements Closeable {
    private final List<TimeOrder> files;
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Comparator.comparingLong(Head::atMicros));
    private boolean isStarted;

    private LogFiles(List<TimeOrder> files) {
        this.files = files;
    }

    /** The next request of a file. */
    private record Head(LoggedRequest request, TimeOrder file) {
        long atMicros() {
            return request.atMicros();
        }
    }

    /** Thrown if a file cannot be opened or read. */
    public static final class LogReadException extends IOException {
        private static final long serialVersionUID = 1L;
        private final String name;

        LogReadException(String name, IOException cause) {
            super(cause);
            this.name = name;
        }

        /** The name of the file. */
        public String name() {
            return name;
        }
    }

    /** Opens all files. One of them may be {@code -}, the given standard input. */
    public static LogFiles open(List<String> names, InputStream standardInput) throws LogReadException {
        List<TimeOrder> files = new ArrayList<>();
        LogFiles all = new LogFiles(files);
        for (String name : names) {
            try {
                files.add(new TimeOrder(LogFile.open(name, standardInput)));
            } catch (IOException e) {
                all.close();
                throw new LogReadException(name, e);
            }
        }
        return all;
    }

    /**
     * Returns the next request in the order of time; null at the end.
     *
     * @throws LogOrderException if a log is not in the order of time
     */
    @Nullable
    public LoggedRequest next() throws LogReadException {
        if (files.size() == 1) {
            return next(files.get(0));
        }
        if (!isStarted) {
            isStarted = true;
            for (TimeOrder file : files) {
                advance(file);
            }
        }
        Head head = heads.poll();
        if (head == null) {
            return null;
        }
        advance(head.file);
        return head.request;
    }

    private void advance(TimeOrder file) throws LogReadException {
        LoggedRequest request = next(file);
        if (request != null) {
            heads.add(new Head(request, file));
        }
    }

    private static @Nullable LoggedRequest next(TimeOrder file) throws LogReadException {
        try {
            return file.next();
        } catch (IOException e) {
            throw new LogReadException(file.file().name(), e);
        }
    }

    /** The files, for their counts. */
    public List<TimeOrder> files() {
        return files;
    }

    /** The number of lines read. */
    public long lines() {
        return sum(file -> file.file().lineCount());
    }

    /** The number of requests that were sorted. */
    public long sorted() {
        return sum(TimeOrder::sorted);
    }

    /** The bytes read so far. */
    public long bytesRead() {
        return sum(file -> file.file().bytesRead());
    }

    /** The length of all files in bytes; 0 if that of one is not known. */
    public long length() {
        boolean isKnown = files.stream().allMatch(file -> file.file().length() > 0);
        return isKnown ? sum(file -> file.file().length()) : 0;
    }

    private long sum(ToLongFunction<TimeOrder> count) {
        return files.stream().mapToLong(count).sum();
    }

    @Override
    public void close() {
        for (TimeOrder file : files) {
            try {
                file.file().close();
            } catch (IOException e) {
                // Only read: there is nothing to lose.
            }
        }
    }
}
