package dev.weir.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What standard output and standard error can show: whether they are terminals, and in which size and colours. Immutable.
 *
 * @param isOutput whether standard output is a terminal
 * @param isError whether standard error is a terminal
 * @param color whether colours are wanted
 */
public record Terminal(boolean isOutput, boolean isError, boolean color) {
    /** No terminal: the output of a program that another program reads. */
    public static final Terminal NONE = new Terminal(false, false, false);

    private static final int USUAL_WIDTH = 80;
    private static final int USUAL_HEIGHT = 24;

    /**
     * The terminal of this process. The launcher names the streams that are terminals in the property {@code
     * weir.terminal}; without it the links of Linux are read.
     */
    public static Terminal detect() {
        String named = System.getProperty("weir.terminal");
        boolean output = named == null ? isTerminal(1) : named.contains("1");
        boolean error = named == null ? isTerminal(2) : named.contains("2");
        return new Terminal(output, error, wantsColor(System::getenv));
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** NO_COLOR, whatever its value unless empty, and a terminal that cannot show colours turn them off. */
    static boolean wantsColor(Function<String, @Nullable String> environment) {
        String no = environment.apply("NO_COLOR");
        return (no == null || no.isEmpty()) && !"dumb".equals(environment.apply("TERM"));
    }

    /** The styles for standard output. */
    public Style style() {
        return new Style(isOutput && color);
    }

    /** The styles for standard error. */
    public Style errorStyle() {
        return new Style(isError && color);
    }

    /** The size of a terminal in characters. */
    public record Size(int width, int height) {}

    /** Asks the terminal for its present size; 80 × 24 if it does not answer. */
    public static Size size() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String[] size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .strip()
                    .split(" ", -1);
            stty.waitFor(1, TimeUnit.SECONDS);
            int height = Integer.parseInt(size[0]);
            int width = Integer.parseInt(size[1]);
            return height > 0 && width > 0 ? new Size(width, height) : new Size(USUAL_WIDTH, USUAL_HEIGHT);
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return new Size(USUAL_WIDTH, USUAL_HEIGHT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Size(USUAL_WIDTH, USUAL_HEIGHT);
        }
    }
}
