package dev.weir.binding.websocket;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A refused message, as the hook gets it.
 *
 * @param kind which limit
 * @param observed what the message required: bytes, its cost, or the count it would reach
 * @param limit the maximum
 * @param retryAfterMs how long to wait, in milliseconds; null if waiting does not help or the wait is unknown
 * @param clientId the connection's id
 * @param messageType null if the message was refused before its type was known
 */
public record LimitExceeded(
        Kind kind,
        long observed,
        long limit,
        @Nullable Long retryAfterMs,
        String clientId,
        @Nullable String messageType) {

    /** The kinds of limits, in the order in which they are applied. */
    public enum Kind {
        /** The queue of the connection is full: the client keeps sending although it is not read from. */
        QUEUE,
        /** The message is too large. */
        PAYLOAD,
        /** Too many messages were malformed. */
        MALFORMED,
        /** A limit of the configuration. */
        RATE,
        /** Too many messages of the connection are in flight. */
        IN_FLIGHT;

        /** In lower case: {@code rate}, {@code payload} … */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The kind as text. */
    public String type() {
        return kind.text();
    }
}
