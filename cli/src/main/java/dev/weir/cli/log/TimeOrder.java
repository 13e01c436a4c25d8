package dev.weir.cli.log;

import dev.weir.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one log in the order of their time. For one thread.
 *
 * <p>A server writes a line when a request ends, so lines are a little out of order. The last 8,192 requests are held
 * and returned sorted. A line that is earlier than a request already returned is late: it is left out and counted. If
 * more than one line in a hundred is late, the log is not in the order of time, and any result would be wrong.
 */
public final class TimeOrder {
    private static final long LONGEST_LOG_MICROS = Duration.ofDays(3_650).toMillis() * 1_000;
    private static final int MOST_HELD = 8_192;
    private static final int LEAST_LATE = 100;

    /*
     * Lines that are not earlier than the line before go to a plain queue, which is then sorted by itself. Only the
     * others go to a heap. The next request is the earlier one of both heads. So a log in order costs no comparison
     * beyond that with its last line.
     */
    private final LogFile file;
    private final ArrayDeque<LoggedRequest> inOrder = new ArrayDeque<>();
    private final PriorityQueue<LoggedRequest> disordered =
            new PriorityQueue<>((one, other) -> Long.compare(one.atMicros(), other.atMicros()));
    private long tail = Long.MIN_VALUE;
    private long newest = Long.MIN_VALUE;
    private long newestLine;
    private long returned = Long.MIN_VALUE;
    private long requests;
    private long sorted;
    private long late;
    private long firstLate;
    private String firstLateText = "";
    private boolean isAtEnd;

    public TimeOrder(LogFile file) {
        this.file = file;
    }

    /**
     * Returns the next request in the order of time; null at the end.
     *
     * @throws LogOrderException if the log is not in the order of time
     */
    @Nullable
    public LoggedRequest next() throws IOException {
        while (!isAtEnd && inOrder.size() + disordered.size() < MOST_HELD) {
            LoggedRequest request = file.next();
            if (request == null) {
                isAtEnd = true;
                checkLate();
            } else {
                add(request);
            }
        }
        LoggedRequest first = inOrder.peekFirst();
        LoggedRequest other = disordered.peek();
        LoggedRequest earliest;
        if (other == null || (first != null && first.atMicros() <= other.atMicros())) {
            earliest = inOrder.pollFirst();
        } else {
            earliest = disordered.poll();
        }
        if (earliest != null) {
            returned = earliest.atMicros();
        }
        return earliest;
    }

    private void add(LoggedRequest request) {
        long at = request.atMicros();
        if (newest != Long.MIN_VALUE && Math.abs(at - newest) > LONGEST_LOG_MICROS) {
            // A damaged line must not move the time to its end.
            file.skip();
            return;
        }
        requests++;
        if (at < returned) {
            leaveOut(request);
        } else if (at >= tail) {
            tail = at;
            inOrder.addLast(request);
        } else {
            sorted++;
            disordered.add(request);
        }
        if (at > newest) {
            newest = at;
            newestLine = file.lineCount();
        }
    }

    private void leaveOut(LoggedRequest request) {
        if (late == 0) {
            firstLate = file.lineCount();
            firstLateText = "line " + firstLate + " has the time " + request.at() + ", "
                    + DurationText.of(Duration.ofMillis((newest - request.atMicros()) / 1_000)) + " before line "
                    + newestLine;
        }
        late++;
        if (late >= LEAST_LATE) {
            checkLate();
        }
    }

    private void checkLate() {
        if (late * 100 > requests) {
            throw new LogOrderException("the log '" + file.name() + "' is not in the order of time: " + firstLateText
                    + "; sort it by time first (a reversed log: tac LOG | weir simulate ... -), or give its parts as"
                    + " separate files, which are merged by time");
        }
    }

    public LogFile file() {
        return file;
    }

    /** The number of requests that were earlier than the line before and were sorted. */
    public long sorted() {
        return sorted;
    }

    /** The number of requests that were too late to be sorted and were left out. */
    public long late() {
        return late;
    }

    /** The number of the first line that was left out because it was late; 0 if there is none. */
    public long firstLate() {
        return firstLate;
    }
}
