package dev.weir.engine.config;

/**
 * One thing that is wrong with a configuration, and where.
 *
 * @param file the file as the reader was told its name
 * @param line from 1
 * @param column from 1
 * @param message what was found, what is needed and, where there is one, a suggestion; a single line
 */
public record Fault(String file, int line, int column, String message) {
    /** As compilers say it, so that editors can jump there: {@code limits.yaml:14:7: message}. */
    @Override
    public String toString() {
        return file + ":" + line + ":" + column + ": " + message;
    }
}
