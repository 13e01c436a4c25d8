package dev.weir.engine.config.schema;

/**
 * A location in a file.
 *
 * @param line from 1
 * @param column from 1, in characters of the line
 */
public record SourceLocation(int line, int column) implements Comparable<SourceLocation> {
    public static final SourceLocation START = new SourceLocation(1, 1);

    /** The location right after a text at the beginning of the file. */
    public static SourceLocation after(CharSequence text) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || (c == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n'))) {
                line++;
                column = 1;
            } else if (!Character.isLowSurrogate(c)) {
                column++;
            }
        }
        return new SourceLocation(line, column);
    }

    @Override
    public int compareTo(SourceLocation other) {
        return line != other.line ? Integer.compare(line, other.line) : Integer.compare(column, other.column);
    }
}
