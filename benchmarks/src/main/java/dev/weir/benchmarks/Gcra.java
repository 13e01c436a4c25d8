package dev.weir.benchmarks;

/**
 * The generic cell rate algorithm, bare: the least arithmetic that a token bucket needs.
 *
 * <p>The state is the time at which the bucket will be full. A request moves it forward by its price. The request fits
 * if the state stays within the bucket's duration from now.
 */
final class Gcra {
    /** The result of {@link #next} when the request does not fit. Times are positive. */
    static final long REFUSED = -1;

    private Gcra() {}

    /** The next state, or {@link #REFUSED}. All in nanoseconds. */
    static long next(long state, long now, long price, long bucket) {
        long next = Math.max(state, now) + price;
        return next - now <= bucket ? next : REFUSED;
    }
}
