package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * A store could not answer a call. Not a refusal: what the answer would have been is not known.
 *
 * <p>{@link #kind()} says what that means for other calls: only {@link Kind#FAILED} says anything about them.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean retryable;
    private final Kind kind;

    /** What a call could not be answered for. */
    public enum Kind {
        /** The backend failed, or did not answer in time: other calls are likely to fail as well. */
        FAILED,
        /** The store answers, and has no room for what this call asks it to keep. Calls that add nothing are answered. */
        FULL,
        /** The store answers, and a value that this call needs cannot be read. Calls on other keys are answered. */
        DAMAGED
    }

    /** The backend failed. */
    public StoreException(String message, boolean retryable, @Nullable Throwable cause) {
        this(message, retryable, Kind.FAILED, cause);
    }

    private StoreException(String message, boolean retryable, Kind kind, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
        this.kind = kind;
    }

    /** There is no room for what this call asks the store to keep; there may be later. */
    public static StoreException full(String message) {
        return new StoreException(message, true, Kind.FULL, null);
    }

    /** A value that this call needs cannot be read. */
    public static StoreException damaged(String message, @Nullable Throwable cause) {
        return new StoreException(message, false, Kind.DAMAGED, cause);
    }

    /** The same exception with another message, caused by this one. */
    public StoreException withMessage(String message) {
        return new StoreException(message, retryable, kind, this);
    }

    /** Whether the same call may succeed later. */
    public boolean retryable() {
        return retryable;
    }

    /** What the call could not be answered for. */
    public Kind kind() {
        return kind;
    }
}
