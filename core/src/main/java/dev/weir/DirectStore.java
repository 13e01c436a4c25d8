package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * A store that can decide a single charge in the caller's thread without allocating memory.
 *
 * <p>It provides the fast path of {@link RateLimiter}. The fast path decides exactly as {@link #consume} does and uses
 * the same budgets.
 */
public interface DirectStore extends Store {

    /** The fast path for one policy; null if this policy has none. */
    @Nullable
    FastPath fastPath(Policy policy);

    /** The fast path of one policy: decides single charges. */
    interface FastPath {
        /**
         * Spends {@code cost}, at least 1, from the budget of the key of this scope and value if it fits.
         *
         * @param scopeHash the {@link KeyHash} of the scope
         */
        boolean tryConsume(long scopeHash, String value, long cost);

        /**
         * The fast path of one key with one value. It refuses while callers wait in the queue of the key, so that it
         * does not overtake them.
         */
        KeyLimiter forKey(Key key, WaiterQueue line);
    }
}
