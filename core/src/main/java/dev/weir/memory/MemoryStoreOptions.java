package dev.weir.memory;

import org.jspecify.annotations.Nullable;

/** The options of a {@link MemoryStore}. Immutable: each method returns a changed copy. */
public final class MemoryStoreOptions {
    private static final int DEFAULT_MAX_ENTRIES = 1_000_000;
    private static final int GREATEST_MAX_ENTRIES = 200_000_000;

    private final int maxEntries;
    private final boolean ticking;
    private final @Nullable TimeSource timeSource;

    private MemoryStoreOptions(int maxEntries, boolean ticking, @Nullable TimeSource timeSource) {
        this.maxEntries = maxEntries;
        this.ticking = ticking;
        this.timeSource = timeSource;
    }

    /** A million entries, the precise clock. */
    public static MemoryStoreOptions defaults() {
        return new MemoryStoreOptions(DEFAULT_MAX_ENTRIES, false, null);
    }

    /**
     * The maximum number of keys of token buckets and fixed windows; about a quarter as many sliding windows,
     * concurrency limits, reservations and leases each. Above it new keys share budgets.
     */
    public MemoryStoreOptions maxEntries(int newMaxEntries) {
        if (newMaxEntries < 1 || newMaxEntries > GREATEST_MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    "maxEntries is " + newMaxEntries + "; it must be 1 to " + GREATEST_MAX_ENTRIES);
        }
        return new MemoryStoreOptions(newMaxEntries, ticking, timeSource);
    }

    /**
     * Reads a clock that a thread publishes about every millisecond, which is several times faster than reading the
     * precise one. Spending may refill up to a tick early: over any stretch of time at most {@code rate × tick} more is
     * admitted. Refusals are always decided by the precise clock.
     */
    public MemoryStoreOptions tickingClock() {
        return new MemoryStoreOptions(maxEntries, true, null);
    }

    /** Sets the source of the time: for tests. */
    public MemoryStoreOptions timeSource(TimeSource newTimeSource) {
        return new MemoryStoreOptions(maxEntries, false, newTimeSource);
    }

    int maxEntries() {
        return maxEntries;
    }

    /** The maximum number of objects that take more memory than an entry of the table. */
    int maxLargeEntries() {
        return Math.max(1, maxEntries / 4);
    }

    StoreClock newClock() {
        if (timeSource != null) {
            return new StoreClock.Steady(timeSource);
        }
        return ticking ? TickingClock.start() : new StoreClock.Precise();
    }
}
