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

    /** The state as numbers, from which {@link #resume} goes on: for a store that keeps it elsewhere as well. */
    public abstract long[] state();

    /**
     * Goes on from a state that a ledger of the same policy and resolution told.
     *
     * @throws IllegalArgumentException if these numbers are no such state
     */
    public abstract void resume(long[] state);

    /** Refuses a state of another length. */
    static void checkLength(long[] state, int length) {
        if (state.length != length) {
            throw new IllegalArgumentException("a state has " + state.length + " numbers; it must have " + length);
        }
    }
}
