package dev.weir.engine.config;

/** How a limit counts; the value of a limit's {@code algorithm}. */
public enum Algorithm implements Spelled {
    /** A bucket that refills continuously; see {@link dev.weir.TokenBucket}. */
    TOKEN_BUCKET,
    /** A quota that returns whole after the period; see {@link dev.weir.FixedWindow}. */
    FIXED_WINDOW,
    /** Never more than so many in any stretch of the period's length; see {@link dev.weir.SlidingWindow}. */
    SLIDING_WINDOW,
    /** Slots held by leases; see {@link dev.weir.Concurrency}. */
    CONCURRENCY;

    @Override
    public String toString() {
        return text();
    }
}
