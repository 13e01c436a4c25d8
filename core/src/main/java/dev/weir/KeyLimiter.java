package dev.weir;

/** A {@link RateLimiter} for one key that is used often: it caches where the key's budget is. */
public interface KeyLimiter {
    /** Spends one if it fits. */
    boolean tryConsume();

    /**
     * Spends {@code cost} if it fits.
     *
     * @throws IllegalArgumentException if the cost is below 1
     */
    boolean tryConsume(long cost);

    /** The reading that spending one would return; spends nothing. */
    Reading peek();
}
