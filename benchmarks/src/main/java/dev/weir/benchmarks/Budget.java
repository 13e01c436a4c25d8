package dev.weir.benchmarks;

import dev.weir.TokenBucket;
import java.time.Duration;

/** A token bucket that every contestant gets, each in its own terms. */
record Budget(int capacity, int refill, Duration period) {
    /** Never used up: a token comes back every nanosecond, and nobody asks so fast. */
    static final Budget PLENTY = new Budget(1_000_000_000, 1_000_000_000, Duration.ofSeconds(1));

    /** Used up by the first request, and for the rest of the day. */
    static final Budget ONE_A_DAY = new Budget(1, 1, Duration.ofDays(1));

    /**
     * Neither used up nor whole again while a benchmark runs: Weir forgets whole budgets, and must not be allowed to
     * work on fewer keys than the others. It takes {@link #HEAD_START} to be so from the start.
     */
    static final Budget DEEP = new Budget(1_000_000_000, 1, Duration.ofSeconds(1));

    /** What is spent of a {@link #DEEP} budget beforehand: what comes back in 1,000 seconds. */
    static final int HEAD_START = 1_000;

    long nanosPerToken() {
        return period.toNanos() / refill;
    }

    /** How far ahead of now a full bucket's emptying may reach. */
    long nanosPerBucket() {
        return capacity * nanosPerToken();
    }

    TokenBucket forWeir() {
        return TokenBucket.of(capacity, refill, period);
    }
}
