package dev.weir.server;

import org.jspecify.annotations.Nullable;

/** Thrown if a server cannot start; the message has the reason, for the person who started it. */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Cause cause;

    /** The kind of failure, with the exit code of the process. */
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

    public StartException(Cause cause, String message, @Nullable Throwable reason) {
        super(message, reason);
        this.cause = cause;
    }

    public Cause why() {
        return cause;
    }
}
