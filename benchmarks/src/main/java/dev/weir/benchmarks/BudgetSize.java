package dev.weir.benchmarks;

import dev.weir.TokenBucket;
import java.time.Duration;

/** A token bucket that every contestant gets, each in its own terms. */
record BudgetSize(int capacity, int refill, Duration period) {
    /** Never used up: a token comes back every nanosecond, faster than any caller spends. */
    static final BudgetSize PLENTY = new BudgetSize(1_000_000_000, 1_000_000_000, Duration.ofSeconds(1));

    /** Used up by the first request, and for the rest of the day. */
    static final BudgetSize ONE_A_DAY = new BudgetSize(1, 1, Duration.ofDays(1));

    /**
     * Neither used up nor full again while a benchmark runs. Weir evicts full budgets, and would otherwise hold fewer
     * keys than the others. {@link #HEAD_START} has to be spent first.
     */
    static final BudgetSize DEEP = new BudgetSize(1_000_000_000, 1, Duration.ofSeconds(1));

    /** The units of a {@link #DEEP} budget spent beforehand: 1,000 seconds of refill. */
    static final int HEAD_START = 1_000;

    long nanosPerToken() {
        return period.toNanos() / refill;
    }

    /** How far in the future a bucket that is now empty becomes full, in nanoseconds. */
    long nanosPerBucket() {
        return capacity * nanosPerToken();
    }

    TokenBucket forWeir() {
        return TokenBucket.of(capacity, refill, period);
    }
}
