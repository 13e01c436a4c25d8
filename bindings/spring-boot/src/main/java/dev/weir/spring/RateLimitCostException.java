package dev.weir.spring;

/** A call whose cost, as {@link RateLimited#cost} says it, is none. The call does not happen; in a web request it is 400. */
public final class RateLimitCostException extends IllegalArgumentException {
    public RateLimitCostException(String message) {
        super(message);
    }
}
