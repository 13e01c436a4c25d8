package dev.weir.engine.config;

/**
 * One fault of a configuration, with its location.
 *
 * @param file the name of the file as given to the reader
 * @param line from 1
 * @param column from 1
 * @param message what was found, what is needed and, if there is one, a suggestion; a single line
 */
public record Fault(String file, int line, int column, String message) {
    /** In the format of compilers, so that editors can jump there: {@code limits.yaml:14:7: message}. */
    @Override
    public String toString() {
        return file + ":" + line + ":" + column + ": " + message;
    }
}
