package dev.weir.binding.websocket;

import dev.weir.engine.Outcome;
import dev.weir.engine.Warning;
import org.jspecify.annotations.Nullable;

/** The messages by which a client is told what the limits say. */
public interface Frames {

    /** {@code rate_limited} and {@code rate_limit_warning}, with waits in whole seconds. */
    static Frames plain() {
        return new PlainFrames();
    }

    /** {@code ERROR} envelopes with a code, whether to try again, and exactly when. */
    static Frames envelope() {
        return new EnvelopeFrames();
    }

    /** A limit of the configuration refuses a message. */
    String refused(@Nullable String id, Outcome outcome);

    /** A message was let through and took a limit beyond its mark; null to say nothing. */
    @Nullable
    String warning(Outcome outcome, Warning warning);

    /** A message is refused for another reason. */
    String error(@Nullable String id, Code code, String detail, @Nullable Long retryAfterMs);

    /** Why a message is refused. */
    enum Code {
        /** It is no message, or not a valid one, or asks for a cost that is none. */
        INVALID_ARGUMENT,
        /** There is no room now. */
        RESOURCE_EXHAUSTED,
        /** There never will be. */
        FAILED_PRECONDITION,
        /** The application failed. */
        INTERNAL
    }
}
