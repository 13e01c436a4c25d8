package dev.weir;

/** A {@link RateLimiter} for one key that is asked again and again: it remembers where the key's budget is. */
public interface KeyLimiter {
    /** Spends one if it fits. */
    boolean tryConsume();

    /**
     * Spends {@code cost} if it fits.
     *
     * @throws IllegalArgumentException if the cost is below 1
     */
    boolean tryConsume(long cost);

    /** What spending one would answer; spends nothing. */
    Reading peek();
}
