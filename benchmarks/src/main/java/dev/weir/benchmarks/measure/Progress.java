package dev.weir.benchmarks.measure;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Prints the current step and the remaining time in one line. Without a terminal it prints a new line now and then. */
public final class Progress {
    private static final int WIDTH = 118;
    private static final int LINES = 10;

    private final PrintStream out;
    private final boolean isTerminal;
    private final int steps;
    private final long start = System.nanoTime();
    private int begun;

    /** Writes to the standard error stream, a terminal or not. */
    public Progress(PrintStream err, int steps) {
        this.out = err;
        this.isTerminal = isTerminal(Path.of("/proc/self/fd/2"));
        this.steps = steps;
    }

    public void begin(String step) {
        String line = String.format(Locale.ROOT, "[%d/%d] %s, %s", ++begun, steps, time(), step);
        if (isTerminal) {
            out.print("\r\033[K" + line.substring(0, Math.min(WIDTH, line.length())));
            out.flush();
        } else if (begun == 1 || begun * LINES / steps > (begun - 1) * LINES / steps) {
            out.println(line);
        }
    }

    public void end() {
        if (isTerminal) {
            out.print("\r\033[K");
            out.flush();
        }
    }

    /** Detected on Linux only; Java reports it for standard input and output together. */
    private static boolean isTerminal(Path stream) {
        try {
            String target = Files.readSymbolicLink(stream).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    private String time() {
        long elapsed = System.nanoTime() - start;
        int done = begun - 1;
        return done == 0 ? minutes(elapsed) : minutes(elapsed) + " of about " + minutes(elapsed / done * steps);
    }

    private static String minutes(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }
}
