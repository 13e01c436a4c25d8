package dev.weir.binding.websocket;

import org.jspecify.annotations.Nullable;

/** Says what is wrong with a message that has passed its limits. */
@FunctionalInterface
public interface MessageValidator {

    /** What is wrong, for its sender to read; null if nothing is. */
    @Nullable
    String faultOf(Message message);
}
