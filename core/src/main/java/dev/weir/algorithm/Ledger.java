package dev.weir.algorithm;

/**
 * The state of one key under one policy, and the operations on it.
 *
 * <p>The next state and every result depend only on the state, the arguments and the time that is passed in. Mutable,
 * and not safe for use by several threads: its store makes each operation atomic. Times are ticks of the ledger's
 * {@linkplain PolicyModel#resolution() resolution}.
 */
public abstract class Ledger {

    /** What can be spent at once; negative in debt. */
    public abstract long available(long now);

    /** Ticks until {@code cost} fits; it is at most the capacity and does not fit now. */
    public abstract long retryAfter(long cost, long now);

    /** Ticks until the budget is full; 0 when it is, and then the ledger may be evicted. */
    public abstract long resetAfter(long now);

    /** Spends {@code cost} whether it fits or not; the debt is at most one capacity. */
    public abstract void spend(long cost, long now);

    /** Gives back what was spent at {@code spentAt}; never above the capacity. */
    public abstract void giveBack(long cost, long spentAt, long now);

    /**
     * The state as numbers, for stores that keep it elsewhere; {@link PolicyModel#resume} restores the ledger from them. At
     * least two numbers, unless there is no state.
     */
    public abstract long[] state();
}
