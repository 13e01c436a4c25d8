package dev.weir;

/**
 * A limit's numbers: how much may be spent, and how it refills.
 *
 * <p>A policy is an immutable value. Its numbers are checked when it is created, and two policies with the same numbers
 * are equal. It contains neither the {@link Key} of a budget nor the time, which is the store's.
 */
public sealed interface Policy
        permits TokenBucket, FixedWindow, CalendarWindow, SlidingWindow, Concurrency, Streak, ClosedPolicy {

    /**
     * The largest count that a policy accepts: every store, including those that compute in doubles, holds it exactly.
     */
    long MAX_COUNT = 1_000_000_000_000_000L;

    /** The most that a full budget can admit at once; 0 only for {@link ClosedPolicy}. */
    long capacity();

    /** A limit of zero: it refuses every charge, and waiting does not help. */
    static Policy closed() {
        return ClosedPolicy.INSTANCE;
    }
}
