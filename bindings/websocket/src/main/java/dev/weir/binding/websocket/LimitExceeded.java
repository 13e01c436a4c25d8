package dev.weir.binding.websocket;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a hook is told of a refused message.
 *
 * @param kind which limit
 * @param observed what the message asked for: bytes, its cost, or how many there are
 * @param limit the most there may be
 * @param retryAfterMs how long to wait; null if waiting does not help, or nobody knows how long
 * @param clientId the connection
 * @param messageType null if it was refused before that was known
 */
public record LimitExceeded(
        Kind kind,
        long observed,
        long limit,
        @Nullable Long retryAfterMs,
        String clientId,
        @Nullable String messageType) {

    /** The kinds of limits, in the order in which a message meets them. */
    public enum Kind {
        /** More messages wait than there is room for: the client does not stop when it is not read from. */
        QUEUE,
        /** The message is too large. */
        PAYLOAD,
        /** Too many messages were no messages. */
        MALFORMED,
        /** A limit of the configuration. */
        RATE,
        /** Too many messages of the connection are being handled. */
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
