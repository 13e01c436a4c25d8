package dev.weir;

/** A store that knows how many budgets this process holds, and how many it has forgotten: for metrics. */
public interface Inventory {

    /** How many budgets are in memory, among them some that are whole and await sweeping. */
    long entries();

    /** How often a part of the memory has been gone through for budgets to forget. */
    long sweeps();

    /** How many whole budgets have been forgotten so far. */
    long swept();
}
