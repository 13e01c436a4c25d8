package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * A store could not complete a call. Not a refusal: the decision is unknown.
 *
 * <p>{@link #kind()} distinguishes whether other calls are affected: only {@link Kind#FAILED} affects them.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean retryable;
    private final Kind kind;

    /** The reason why a call failed. */
    public enum Kind {
        /** The backend failed, or did not respond in time: other calls are likely to fail as well. */
        FAILED,
        /** The store works, but has no room for the data of this call. Calls that add nothing succeed. */
        FULL,
        /** The store works, but cannot read a value that this call needs. Calls on other keys succeed. */
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

    /** The store has no room for the data of this call; there may be room later. */
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

    /** The reason why the call failed. */
    public Kind kind() {
        return kind;
    }
}
