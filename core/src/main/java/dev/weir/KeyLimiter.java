package dev.weir;

/** A {@link RateLimiter} for one key that is asked again and again: it remembers where the key's budget is. */
public final class KeyLimiter {
    private final RateLimiter limiter;
    private final String key;
    private final DirectStore.Spot spot;
    private final WaitingLine line;

    KeyLimiter(RateLimiter limiter, String key, DirectStore.Spot spot, WaitingLine line) {
        this.limiter = limiter;
        this.key = key;
        this.spot = spot;
        this.line = line;
    }

    /** Spends one if it fits. */
    public boolean tryConsume() {
        return line.lets(key) && spot.tryConsume(1);
    }

    /** Spends {@code cost}, at least 1, if it fits. */
    public boolean tryConsume(long cost) {
        Require.cost(cost);
        return line.lets(key) && spot.tryConsume(cost);
    }

    /** What spending one would answer; spends nothing. */
    public Reading peek() {
        return limiter.peek(key);
    }
}
