package dev.weir.memory;

import java.util.concurrent.atomic.LongAdder;

/** How often a store has looked for budgets to forget, and how many it has forgotten. */
final class Sweeping {
    private final LongAdder runs = new LongAdder();
    private final LongAdder removed = new LongAdder();

    /** A part of the table has been gone through. */
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
