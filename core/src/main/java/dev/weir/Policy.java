package dev.weir;

/**
 * How much may be spent, and how it comes back.
 *
 * <p>A policy is a value: it is checked when it is created, never changes, and two policies with the same numbers are
 * equal. It knows neither whose budget it governs (that is the {@link Key}) nor what time it is (that is the store).
 */
public sealed interface Policy
        permits TokenBucket, FixedWindow, CalendarWindow, SlidingWindow, Concurrency, Streak, Closed {

    /** The largest count a policy takes: every store, including those that compute in doubles, holds it exactly. */
    long MAX_COUNT = 1_000_000_000_000_000L;

    /** The most that a whole, untouched budget can give at once; 0 only for {@link Closed}. */
    long capacity();

    /** A limit of zero: refuses everything, and waiting does not help. */
    static Policy closed() {
        return Closed.INSTANCE;
    }
}
