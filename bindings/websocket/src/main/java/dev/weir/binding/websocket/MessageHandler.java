package dev.weir.binding.websocket;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Handles the admitted messages of an application. Must not block where the framework does not allow it. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles a message. The messages of a connection arrive one after the other.
     *
     * @return a stage that completes when the message is done; until then it counts as in flight; null if it is done
     */
    @Nullable
    CompletionStage<?> handle(Message message, Connection connection) throws Exception;

    /** Called once when the connection is closed, for whatever reason. */
    default void closed(Connection connection) {}
}
