package dev.weir.benchmarks;

/**
 * The generic cell rate algorithm, bare: the least arithmetic that a token bucket needs.
 *
 * <p>The state is the time at which the bucket will be full. A request moves it by its price; it fits if the state does
 * not get further ahead of now than emptying a full bucket takes.
 */
final class Gcra {
    /** What {@link #next} answers when the request does not fit. Times are positive. */
    static final long REFUSED = -1;

    private Gcra() {}

    /** The next state, or {@link #REFUSED}. All in nanoseconds. */
    static long next(long state, long now, long price, long bucket) {
        long next = Math.max(state, now) + price;
        return next - now <= bucket ? next : REFUSED;
    }
}
