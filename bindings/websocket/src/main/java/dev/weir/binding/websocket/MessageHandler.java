package dev.weir.binding.websocket;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the application does with a message that was let through. Must not block where the framework does not. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles a message. Those of a connection come one after the other.
     *
     * @return completes when it is done, until when it counts as in flight; null if it is done
     */
    @Nullable
    CompletionStage<?> handle(Message message, Connection connection) throws Exception;

    /** The connection is closed, in whatever way; called once. */
    default void closed(Connection connection) {}
}
