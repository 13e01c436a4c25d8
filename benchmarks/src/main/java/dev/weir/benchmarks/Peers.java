package dev.weir.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** The peers, each created as its documentation recommends, with defaults wherever a budget leaves a choice. */
final class Peers {
    private Peers() {}

    /** Greedy refill, millisecond clock, lock-free: Bucket4j's defaults. */
    static Bucket bucket4j(BudgetSize budget) {
        return builder(budget).build();
    }

    static Bucket bucket4jSynchronized(BudgetSize budget) {
        return builder(budget)
                .withSynchronizationStrategy(SynchronizationStrategy.SYNCHRONIZED)
                .build();
    }

    private static LocalBucketBuilder builder(BudgetSize budget) {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(budget.capacity()).refillGreedy(budget.refill(), budget.period()));
    }

    /** Its limit is renewed at once after a period, so the period is the time in which the bucket would fill. */
    static RateLimiterConfig resilience4jConfig(BudgetSize budget) {
        return RateLimiterConfig.custom()
                .limitForPeriod(budget.capacity())
                .limitRefreshPeriod(Duration.ofNanos(budget.nanosPerBucket()))
                .timeoutDuration(Duration.ZERO)
                .build();
    }

    static io.github.resilience4j.ratelimiter.RateLimiter resilience4j(BudgetSize budget) {
        return io.github.resilience4j.ratelimiter.RateLimiter.of("benchmark", resilience4jConfig(budget));
    }

    /** It accumulates up to one second of permits, and grants the first request permits in advance. */
    static RateLimiter guava(BudgetSize budget) {
        return RateLimiter.create(1e9 / budget.nanosPerToken());
    }

    /** The bursty kind. */
    static dev.failsafe.RateLimiter<Object> failsafe(BudgetSize budget) {
        return dev.failsafe.RateLimiter.burstyBuilder(budget.capacity(), Duration.ofNanos(budget.nanosPerBucket()))
                .build();
    }
}
