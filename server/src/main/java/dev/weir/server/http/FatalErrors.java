package dev.weir.server.http;

import dev.weir.server.WeirServer;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process on errors after which it is unreliable, so that a supervisor restarts it. After an OutOfMemoryError
 * a server may have lost its listening sockets or event loops and still seem to run.
 *
 * <p>The launcher starts the JVM with {@code -XX:+ExitOnOutOfMemoryError}, which does the same earlier. This class is
 * for JVMs started without that option.
 */
public final class FatalErrors {
    /** The exit code of the JVM's own option. */
    public static final int EXIT_CODE = 3;

    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    private FatalErrors() {}

    /** Ends the process if the error means that the heap is full; returns otherwise. */
    public static void check(@Nullable Throwable error) {
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 20; cause = cause.getCause(), depth++) {
            // Netty's own bound on direct memory fails only one allocation of one connection.
            if (cause instanceof OutOfMemoryError && !(cause instanceof OutOfDirectMemoryError)) {
                halt("out of memory");
            }
        }
    }

    /** Like {@link #check}, then logs the error. */
    public static void report(Throwable error) {
        check(error);
        LOG.log(Level.ERROR, "unexpected failure", error);
    }

    /** Ends the process at once, without shutdown hooks: they may need the resource that is missing. */
    static void halt(String reason) {
        try {
            LOG.log(Level.ERROR, reason + "; the process ends with exit code " + EXIT_CODE);
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
