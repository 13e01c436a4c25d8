package dev.weir.spring.websocket;

import dev.weir.binding.websocket.MessagePipeline;

/** Customizes the message pipeline: a bean of this type sets sizes, frames, hooks and validators. */
@FunctionalInterface
public interface MessagePipelineCustomizer {

    /** Called once for each handler that is limited. */
    void customize(MessagePipeline.Builder pipeline);
}
