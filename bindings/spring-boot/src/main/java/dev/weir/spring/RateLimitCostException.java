package dev.weir.spring;

/** Thrown when {@link RateLimited#cost} yields no valid cost. The method is not called; a web request gets 400. */
public final class RateLimitCostException extends IllegalArgumentException {
    public RateLimitCostException(String message) {
        super(message);
    }
}
