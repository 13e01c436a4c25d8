package dev.weir.algorithm;

/**
 * The state of one key under one policy, and all that can happen to it.
 *
 * <p>Pure in the sense that matters: the next state and every answer depend on the state, the arguments and the time
 * that is passed in, and on nothing else. Mutable, and not safe for use by several threads: its store makes each step
 * indivisible. Times are ticks of the ledger's {@linkplain Meter#resolution() resolution}.
 */
public abstract class Ledger {

    /** What can be spent at once; negative in debt. */
    public abstract long available(long now);

    /** Ticks until {@code cost}, which is at most the capacity and does not fit now, does. */
    public abstract long retryAfter(long cost, long now);

    /** Ticks until the budget is whole; 0 when it is, and then the ledger may be forgotten. */
    public abstract long resetAfter(long now);

    /** Spends {@code cost} whether it fits or not; the debt is at most one capacity. */
    public abstract void spend(long cost, long now);

    /** Gives back what was spent at {@code spentAt}; never above the capacity. */
    public abstract void giveBack(long cost, long spentAt, long now);

    /**
     * The state as numbers, for stores that keep it elsewhere; {@link Meter#resume} makes the same ledger of them again.
     * At least two numbers, unless nothing is to be remembered.
     */
    public abstract long[] state();
}
