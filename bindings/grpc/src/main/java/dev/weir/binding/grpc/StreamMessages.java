package dev.weir.binding.grpc;

/** How limits apply to the single messages that a client sends on a stream. */
public enum StreamMessages {
    /** Only the call is checked. */
    UNLIMITED,
    /** Each message is checked; a refused one ends the call. */
    END_CALL,
    /**
     * Each message is checked; a refused one waits until it is admitted. Meanwhile nothing more is read of the stream,
     * so that flow control slows the client down. The call ends if waiting does not help or takes too long.
     */
    DELAY
}
