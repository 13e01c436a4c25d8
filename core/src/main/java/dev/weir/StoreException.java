package dev.weir;

import org.jspecify.annotations.Nullable;

/** A store's backend failed, or did not answer in time. Not a refusal: nobody knows what the answer would have been. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean retryable;

    public StoreException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    /** Whether the same call may succeed later. */
    public boolean retryable() {
        return retryable;
    }
}
