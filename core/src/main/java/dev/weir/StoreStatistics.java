package dev.weir;

/** A store that counts the budgets that this process holds and has evicted: for metrics. */
public interface StoreStatistics {

    /** How many budgets are in memory. Some of them may be full and await the next sweep. */
    long entries();

    /** How many sweeps have looked for budgets to evict, each in one part of the memory. */
    long sweeps();

    /** How many full budgets have been evicted so far. */
    long swept();
}
