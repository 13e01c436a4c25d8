package dev.weir.memory;

import java.util.concurrent.atomic.LongAdder;

/** The numbers of sweeps and evictions of a store. */
final class SweepCounts {
    private final LongAdder runs = new LongAdder();
    private final LongAdder removed = new LongAdder();

    /** Counts a sweep of one part of the table. */
    void ran() {
        runs.increment();
    }

    void removed() {
        removed.increment();
    }

    long runs() {
        return runs.sum();
    }

    long removals() {
        return removed.sum();
    }
}
