package dev.weir.algorithm;

/**
 * An algorithm whose whole state fits in one long, so that one compare-and-set is one decision.
 *
 * <p>Pure: the same arguments always give the same result, and nothing is allocated. Times are ticks of the resolution
 * for which the math was created. A state is positive and below 2^62; the two top bits belong to the store.
 */
public sealed interface PackedMath permits TokenBucketMath, FixedWindowMath, CalendarWindowMath {
    /** A state from which nothing is spent. Others may be equivalent: see {@link #resetAfter}. */
    long WHOLE = 1;

    /** The largest state. */
    long MAX_STATE = (1L << 62) - 1;

    /** The result of {@link #take} when the cost does not fit. */
    long REFUSED = -1;

    /** The result of {@link #take} when the state's time is after {@code now}: {@link #notice} it, and try again. */
    long STALE = -2;

    /** Whether states up to this time fit. */
    boolean packs(long horizonTicks);

    /**
     * The state after spending {@code cost}, or {@link #REFUSED}, or {@link #STALE}. A charge must not be dated before
     * the state that it joins; otherwise a refund could not determine whether the charge still counts.
     */
    long take(long state, long cost, long now);

    /** The state after spending {@code cost} even if it does not fit; the debt is at most one capacity. */
    long spend(long state, long cost, long now);

    /** The state after giving back what was spent at {@code spentAt}; never above the capacity. */
    long giveBack(long state, long cost, long spentAt, long now);

    /** The state after a read: unchanged, except for a calendar that was set back. */
    long notice(long state, long now);

    /** What can be spent at once; negative in debt. */
    long available(long state, long now);

    /** Ticks until {@code cost}, which is at most the capacity, fits. */
    long retryAfter(long state, long cost, long now);

    /** Ticks until the budget is full; 0 when it is, and then the entry may be evicted. */
    long resetAfter(long state, long now);
}
