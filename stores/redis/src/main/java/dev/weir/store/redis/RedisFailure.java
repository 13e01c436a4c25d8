package dev.weir.store.redis;

import dev.weir.StoreException;
import java.util.Locale;

/** Failures of Redis in words: of which server, why, and what to do where a look at the server does not help. */
final class RedisFailure {
    private static final String LOGIN = "in the store's URI, as in redis://user:password@host";

    private RedisFailure() {}

    /**
     * Of a connection that could not be made.
     *
     * @param name the server's, without secrets
     */
    static StoreException whenConnecting(String name, Throwable failure) {
        String reason = reason(failure);
        return isLogin(reason)
                ? login(name, reason)
                : new StoreException(name + " cannot be reached: " + shown(reason), true, failure);
    }

    /** Of a call. */
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

    /** The innermost cause, on one line. */
    static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message.split("\n", 2)[0];
    }

    private static boolean isLogin(String reason) {
        return reason.startsWith("NOAUTH")
                || reason.startsWith("WRONGPASS")
                || reason.startsWith("ERR invalid password")
                || reason.startsWith("ERR AUTH");
    }

    /** Without its cause, which may repeat what was sent. */
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

    /** Lettuce rejects calls while it connects again, and fails those that were under way. */
    private static boolean isUnconnected(String reason) {
        String text = reason.toLowerCase(Locale.ROOT);
        return text.startsWith("currently not connected")
                || text.startsWith("connection closed")
                || text.startsWith("connection is closed")
                || text.startsWith("connection refused");
    }

    /** Netty repeats the address, which is named already. */
    private static String shown(String reason) {
        return reason.startsWith("Connection refused") ? "connection refused" : reason;
    }
}
