package dev.weir.cli.terminal;

import java.io.PrintWriter;
import java.time.Duration;

/** One line on standard error that is replaced a few times a second; silent where that is no terminal. */
public final class ProgressLine {
    private static final long INTERVAL_NANOS = Duration.ofMillis(200).toNanos();

    private final PrintWriter err;
    private final boolean isShown;
    private long last;

    public ProgressLine(PrintWriter err, Terminal terminal) {
        this.err = err;
        this.isShown = terminal.isError();
        this.last = System.nanoTime();
    }

    /** Whether the line should be replaced now. */
    public boolean isDue() {
        if (!isShown) {
            return false;
        }
        long now = System.nanoTime();
        if (now - last < INTERVAL_NANOS) {
            return false;
        }
        last = now;
        return true;
    }

    /** Replaces the line. */
    public void show(String text) {
        err.print("\r\u001b[K" + text);
        err.flush();
    }

    /** Removes the line. */
    public void clear() {
        if (isShown) {
            show("");
        }
    }
}
