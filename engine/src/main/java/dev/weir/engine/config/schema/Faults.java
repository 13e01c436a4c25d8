package dev.weir.engine.config.schema;

import dev.weir.engine.config.Fault;
import dev.weir.spi.Nearest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Collects the faults of one file. */
public final class Faults {
    /** The most faults that are reported; after that, reading stops. */
    public static final int MOST = 100;

    private static final int LONGEST_QUOTE = 60;

    private final String file;
    private final List<Fault> found = new ArrayList<>();
    private final List<Fault> warnings = new ArrayList<>();
    private boolean more;

    public Faults(String file) {
        this.file = file;
    }

    /** Adds a fault. Beyond the maximum it stops reading, which a hostile file could make long. */
    public void add(SourceLocation location, String message) {
        if (found.size() == MOST) {
            more = true;
            throw new StopReadingException();
        }
        found.add(new Fault(file, location.line(), location.column(), message));
    }

    /** Adds a probable mistake; the file stays valid. */
    void warn(SourceLocation location, String message) {
        if (acceptsWarnings()) {
            warnings.add(new Fault(file, location.line(), location.column(), message));
        }
    }

    /** Whether another warning would be kept. Looking for more only costs time when it is not. */
    boolean acceptsWarnings() {
        return warnings.size() < MOST;
    }

    /** The warnings, in the order of the file. */
    public List<Fault> warnings() {
        return inOrder(warnings).toList();
    }

    /** Thrown to stop reading. */
    public static final class StopReadingException extends RuntimeException {
        StopReadingException() {
            super(null, null, false, false);
        }
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    /** The faults, in the order of the file. */
    public List<Fault> sorted() {
        Stream<Fault> sorted = inOrder(found);
        if (!more) {
            return sorted.toList();
        }
        List<Fault> faults = new ArrayList<>(sorted.toList());
        Fault last = faults.get(faults.size() - 1);
        faults.add(new Fault(file, last.line(), last.column(), "there are more faults than these " + MOST));
        return List.copyOf(faults);
    }

    private static Stream<Fault> inOrder(List<Fault> faults) {
        return faults.stream()
                .distinct()
                .sorted(Comparator.comparingInt(Fault::line).thenComparingInt(Fault::column));
    }

    /** A text in quotes, shortened and on one line. */
    public static String quote(String text) {
        return "'" + oneLine(text, LONGEST_QUOTE) + "'";
    }

    /** A text of at most {@code longest} characters, without control characters. */
    static String oneLine(String text, int longest) {
        StringBuilder quoted = new StringBuilder();
        text.codePoints().limit(longest).forEach(c -> {
            if (c == '\n') {
                quoted.append("\\n");
            } else if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || isLineBreak(c)) {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.appendCodePoint(c);
            }
        });
        boolean cut = text.codePointCount(0, text.length()) > longest;
        return quoted.append(cut ? "..." : "").toString();
    }

    private static boolean isLineBreak(int c) {
        return Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }

    /** {@code "; did you mean 'burst'?"}, or an empty text. */
    public static String didYouMean(String typed, Collection<String> known) {
        return Nearest.to(typed, known)
                .map(name -> "; did you mean " + quote(name) + "?")
                .orElse("");
    }
}
