package dev.weir.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Single keys of a terminal, without a line feed and without showing them. Closing it restores the terminal, and so does
 * the end of the process. For one thread.
 */
public final class KeyInput implements AutoCloseable {
    /** The result of waiting when the thread was interrupted. */
    public static final int INTERRUPTED = -2;

    /** The result of waiting when no key was pressed. */
    public static final int NONE = -1;

    private static final File TERMINAL = new File("/dev/tty");
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);

    private final String before;
    private final InputStream keys;
    private final Thread restore = new Thread(this::restore, "weir-terminal");

    private KeyInput(String before, InputStream keys) {
        this.before = before;
        this.keys = keys;
    }

    /** Opens the terminal of the process; without one, no key is ever pressed. */
    public static KeyInput open() {
        String before = stty("-g").strip();
        InputStream keys = InputStream.nullInputStream();
        if (!before.isEmpty()) {
            try {
                keys = Files.newInputStream(Path.of("/dev/tty"));
                stty("-icanon", "-echo", "min", "0", "time", "0");
            } catch (IOException e) {
                before = "";
            }
        }
        KeyInput input = new KeyInput(before, keys);
        Runtime.getRuntime().addShutdownHook(input.restore);
        return input;
    }

    /** Waits so long for a key; returns {@link #NONE} if none was pressed. */
    public int await(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (true) {
            try {
                int key = before.isEmpty() ? NONE : keys.read();
                if (key >= 0 || System.nanoTime() >= end) {
                    return key < 0 ? NONE : key;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_INTERVAL.toMillis());
            } catch (IOException e) {
                return NONE;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return INTERRUPTED;
            }
        }
    }

    private void restore() {
        if (!before.isEmpty()) {
            stty(before);
        }
    }

    private static String stty(String... arguments) {
        try {
            String[] command = new String[arguments.length + 1];
            command[0] = "stty";
            System.arraycopy(arguments, 0, command, 1, arguments.length);
            Process stty = new ProcessBuilder(command)
                    .redirectInput(TERMINAL)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return stty.waitFor() == 0 ? output : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(restore);
        restore();
        try {
            keys.close();
        } catch (IOException e) {
            // Only read.
        }
    }
}
