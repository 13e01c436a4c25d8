package dev.weir.engine.config;

/** The algorithm of a limit; the value of a limit's {@code algorithm}. */
public enum Algorithm implements ConfigSpelling {
    /** A bucket that refills continuously; see {@link dev.weir.TokenBucket}. */
    TOKEN_BUCKET,
    /** A quota that is renewed in full after the period; see {@link dev.weir.FixedWindow}. */
    FIXED_WINDOW,
    /** At most the rate's count in any interval of the period's length; see {@link dev.weir.SlidingWindow}. */
    SLIDING_WINDOW,
    /** Slots held by leases; see {@link dev.weir.Concurrency}. */
    CONCURRENCY;

    @Override
    public String toString() {
        return text();
    }
}
