package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * A store that can decide a single charge in the caller's thread, creating nothing.
 *
 * <p>The fast lane of {@link RateLimiter}. It decides exactly as {@link #consume} does and sees the same budgets.
 */
public interface DirectStore extends Store {

    /** The fast lane for one policy; null if this policy has none. */
    @Nullable
    Lane lane(Policy policy);

    /** Decides single charges under one policy. */
    interface Lane {
        /**
         * Spends {@code cost}, at least 1, from the budget of the key of this scope and value if it fits.
         *
         * @param scopeHash the {@link KeyHash} of the scope
         */
        boolean tryConsume(long scopeHash, String value, long cost);

        /** The fast lane to one key of one value; it overtakes nobody in the line. */
        KeyLimiter forKey(Key key, WaitingLine line);
    }
}
