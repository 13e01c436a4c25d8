package dev.weir.engine.config;

/** How a limit counts; the value of a limit's {@code algorithm}. */
public enum Algorithm {
    /** A bucket that refills continuously; see {@link dev.weir.TokenBucket}. */
    TOKEN_BUCKET("token-bucket"),
    /** A quota that returns whole after the period; see {@link dev.weir.FixedWindow}. */
    FIXED_WINDOW("fixed-window"),
    /** Never more than so many in any stretch of the period's length; see {@link dev.weir.SlidingWindow}. */
    SLIDING_WINDOW("sliding-window"),
    /** Slots held by leases; see {@link dev.weir.Concurrency}. */
    CONCURRENCY("concurrency");

    private final String text;

    Algorithm(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code token-bucket}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
