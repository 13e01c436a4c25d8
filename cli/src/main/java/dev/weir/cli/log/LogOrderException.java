package dev.weir.cli.log;

/** Thrown when the lines of a log are not in the order of time. */
public final class LogOrderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LogOrderException(String message) {
        super(message, null, false, false);
    }
}
