package dev.weir.server;

import io.netty.util.internal.OutOfDirectMemoryError;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process on an error after which it cannot be relied on, so that a supervisor starts it again. Out of memory, a
 * server may have lost its listening sockets or event loops and look alive.
 *
 * <p>The launcher starts the JVM with {@code -XX:+ExitOnOutOfMemoryError}, which does the same earlier; this is for a JVM
 * that was started without.
 */
final class FatalErrors {
    /** What the JVM's own option exits with. */
    static final int EXIT_CODE = 3;

    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    private FatalErrors() {}

    /** Ends the process if an error says that the heap is full; returns otherwise. */
    static void check(@Nullable Throwable error) {
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 20; cause = cause.getCause(), depth++) {
            // Netty's own bound on direct memory fails one allocation, of one connection, and nothing else.
            if (cause instanceof OutOfMemoryError && !(cause instanceof OutOfDirectMemoryError)) {
                halt("out of memory");
            }
        }
    }

    /** As {@link #check}, then logs the error. */
    static void report(Throwable error) {
        check(error);
        LOG.log(Level.ERROR, "unexpected failure", error);
    }

    /** Ends the process at once, without its shutdown hooks: they may need what is missing. */
    static void halt(String reason) {
        try {
            LOG.log(Level.ERROR, reason + "; the process ends with exit code " + EXIT_CODE);
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
