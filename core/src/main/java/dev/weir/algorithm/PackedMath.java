package dev.weir.algorithm;

/**
 * An algorithm whose whole state fits in one long, so that one compare-and-set is one decision.
 *
 * <p>Pure: the same arguments always give the same result, and nothing is allocated. Times are ticks of the resolution
 * for which the math was made. A state is positive and below 2^62; the two top bits belong to the store.
 */
public sealed interface PackedMath permits TokenBucketMath, FixedWindowMath, CalendarWindowMath {
    /** A budget of which nothing is spent. Others may mean the same: see {@link #resetAfter}. */
    long WHOLE = 1;

    /** The largest state. */
    long MAX_STATE = (1L << 62) - 1;

    /** What {@link #take} answers when the cost does not fit. */
    long REFUSED = -1;

    /** What {@link #take} answers when the state is of a later time than {@code now}: {@link #notice} it, and ask again. */
    long STALE = -2;

    /** Whether states up to this time fit. */
    boolean packs(long horizonTicks);

    /**
     * The state after spending {@code cost}, or {@link #REFUSED}, or {@link #STALE}: what is admitted must not be dated
     * before the state that it joins, or nobody could tell later whether it is still there to be given back.
     */
    long take(long state, long cost, long now);

    /** The state after spending {@code cost} even if it does not fit; the debt is at most one capacity. */
    long spend(long state, long cost, long now);

    /** The state after giving back what was spent at {@code spentAt}; never above the capacity. */
    long giveBack(long state, long cost, long spentAt, long now);

    /** The state as one who looks at it leaves it: the same, but for a calendar that was set back. */
    long notice(long state, long now);

    /** What can be spent at once; negative in debt. */
    long available(long state, long now);

    /** Ticks until {@code cost}, which is at most the capacity, fits. */
    long retryAfter(long state, long cost, long now);

    /** Ticks until the budget is whole; 0 when it is, and then the state may be forgotten. */
    long resetAfter(long state, long now);
}
