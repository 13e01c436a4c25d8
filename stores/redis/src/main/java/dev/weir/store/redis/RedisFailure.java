package dev.weir.store.redis;

import dev.weir.StoreException;
import java.util.Locale;

/**
 * Converts failures of Redis to exceptions whose message has the server, the reason and, for login errors, the remedy.
 */
final class RedisFailure {
    private static final String LOGIN = "in the store's URI, as in redis://user:password@host";

    private RedisFailure() {}

    /**
     * The exception for a failed connection attempt.
     *
     * @param name the server's name, without secrets
     */
    static StoreException whenConnecting(String name, Throwable failure) {
        String reason = reason(failure);
        return isLogin(reason)
                ? login(name, reason)
                : new StoreException(name + " cannot be reached: " + shown(reason), true, failure);
    }

    /** The exception for a failed call. */
    static StoreException whenCalling(String name, Throwable failure) {
        String reason = reason(failure);
        if (isLogin(reason)) {
            return login(name, reason);
        }
        return new StoreException(
                isUnconnected(reason) ? "there is no connection to " + name : name + " failed: " + shown(reason),
                true,
                failure);
    }

    /** The first line of the innermost cause's message. */
    static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message.split("\n", 2)[0];
    }

    /** Whether a connection attempt failed for a reason that Lettuce does not say. */
    static boolean hasLostReason(Throwable failure) {
        return reason(failure).startsWith("Connection closed prematurely");
    }

    private static boolean isLogin(String reason) {
        return reason.startsWith("NOAUTH")
                || reason.startsWith("WRONGPASS")
                || reason.startsWith("ERR invalid password")
                || reason.startsWith("ERR AUTH");
    }

    /** The exception for a login error. It has no cause, because that may contain the password. */
    private static StoreException login(String name, String reason) {
        String what;
        if (reason.startsWith("NOAUTH")) {
            what = " asks for a password (NOAUTH); set it ";
        } else if (reason.startsWith("ERR AUTH")) {
            what = " has no password for this user; leave it out ";
        } else {
            what = " refuses the user or the password (WRONGPASS); correct them ";
        }
        return new StoreException(name + what + LOGIN, false, null);
    }

    /** Whether there was no connection: Lettuce rejects calls while it reconnects, and fails those in flight. */
    private static boolean isUnconnected(String reason) {
        String text = reason.toLowerCase(Locale.ROOT);
        return text.startsWith("currently not connected")
                || text.startsWith("connection closed")
                || text.startsWith("connection is closed")
                || text.startsWith("connection refused");
    }

    /** Removes the address that Netty adds, because the message already has it. */
    private static String shown(String reason) {
        return reason.startsWith("Connection refused") ? "connection refused" : reason;
    }
}
