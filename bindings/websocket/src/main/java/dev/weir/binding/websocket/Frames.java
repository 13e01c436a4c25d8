package dev.weir.binding.websocket;

import dev.weir.engine.Outcome;
import dev.weir.engine.Warning;
import org.jspecify.annotations.Nullable;

/** Formats the messages that inform a client about limits. */
public interface Frames {

    /** Uses {@code rate_limited} and {@code rate_limit_warning}, with waits in whole seconds. */
    static Frames plain() {
        return new PlainFrames();
    }

    /** Uses {@code ERROR} envelopes with a code, whether a retry helps, and the exact wait. */
    static Frames envelope() {
        return new EnvelopeFrames();
    }

    /** Formats the refusal of a message by a limit of the configuration. */
    String refused(@Nullable String id, Outcome outcome);

    /** Formats a warning: an admitted message took a limit beyond its warning mark. Null to send nothing. */
    @Nullable
    String warning(Outcome outcome, Warning warning);

    /** Formats the refusal of a message for another reason. */
    String error(@Nullable String id, Code code, String detail, @Nullable Long retryAfterMs);

    /** The reason of a refusal. */
    enum Code {
        /** The message is malformed or invalid, or its cost is no valid cost. */
        INVALID_ARGUMENT,
        /** There is no capacity now; a retry may help. */
        RESOURCE_EXHAUSTED,
        /** The message can never be admitted; a retry does not help. */
        FAILED_PRECONDITION,
        /** The application failed. */
        INTERNAL
    }
}
