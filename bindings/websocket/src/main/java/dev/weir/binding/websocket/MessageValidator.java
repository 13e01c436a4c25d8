package dev.weir.binding.websocket;

import org.jspecify.annotations.Nullable;

/** Validates messages that the limits admitted. */
@FunctionalInterface
public interface MessageValidator {

    /** Returns a description of the fault for the sender; null if the message is valid. */
    @Nullable
    String faultOf(Message message);
}
