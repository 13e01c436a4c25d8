package dev.weir.server;

import org.jspecify.annotations.Nullable;

/** A server could not start; the message says why, in words for who started it. */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Cause cause;

    /** Why, with the exit code of the process. */
    public enum Cause {
        CONFIGURATION(1),
        STORE(2),
        PORT(3);

        private final int exitCode;

        Cause(int exitCode) {
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }

    StartException(Cause cause, String message, @Nullable Throwable reason) {
        super(message, reason);
        this.cause = cause;
    }

    public Cause why() {
        return cause;
    }
}
