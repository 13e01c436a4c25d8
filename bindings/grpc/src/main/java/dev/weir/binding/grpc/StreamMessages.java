package dev.weir.binding.grpc;

/** What limits mean for the single messages that a client sends on a stream. */
public enum StreamMessages {
    /** Only the call is asked about. */
    UNLIMITED,
    /** Each message is asked about; one that is refused ends the call. */
    END_CALL,
    /**
     * Each message is asked about; one that is refused waits until it is admitted. Meanwhile nothing more is read of the
     * stream, so that flow control slows the client down. The call ends if waiting does not help or takes too long.
     */
    DELAY
}
