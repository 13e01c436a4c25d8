package dev.weir;

/**
 * A store that can decide a single charge in the caller's thread, creating nothing.
 *
 * <p>The fast lane of {@link RateLimiter}. It decides exactly as {@link #consume} does and sees the same budgets.
 */
public interface DirectStore extends Store {

    /** The fast lane for one policy. */
    Lane lane(Policy policy);

    /** Decides single charges under one policy. */
    interface Lane {
        /** Spends {@code cost}, at least 1, from the budget of the key with this {@link Key#hash()} if it fits. */
        boolean tryConsume(long keyHash, long cost);

        /** The fast lane to one key: it remembers where the key is. */
        Spot spot(Key key);
    }

    /** Decides single charges of one key under one policy. */
    interface Spot {
        /** Spends {@code cost}, at least 1, if it fits. */
        boolean tryConsume(long cost);
    }
}
