package dev.weir.testkit.model;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Resolution;

/**
 * One key's budget under one policy, by the policy's definition. Times are ticks and never go back.
 *
 * <p>Written apart from the algorithms of {@code core}, so that a mistake there is not repeated here: wide numbers, no
 * packing, no state that is clever.
 */
abstract class Budget implements Cloneable {
    private final Policy policy;

    Budget(Policy policy) {
        this.policy = policy;
    }

    /** A budget of which nothing is spent; {@code met} is when the store first met the policy. */
    static Budget open(Policy policy, Resolution resolution, long met) {
        if (policy instanceof TokenBucket bucket) {
            return new BucketBudget(bucket, resolution, met);
        }
        if (policy instanceof FixedWindow window) {
            return new WindowBudget(window, resolution);
        }
        if (policy instanceof CalendarWindow window) {
            return new CalendarBudget(window);
        }
        if (policy instanceof SlidingWindow window) {
            return new SlidingBudget(window, resolution);
        }
        if (policy instanceof Streak streak) {
            return new StreakBudget(streak, resolution);
        }
        return policy instanceof Concurrency slots ? new SlotBudget(slots) : new ClosedBudget(policy);
    }

    final Policy policy() {
        return policy;
    }

    /** Sees that it is so late: a clock that was set far back takes with it what lies ahead. */
    void notice(long now) {}

    /** The same budget, to try things on. */
    Budget copy() {
        try {
            return (Budget) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** How many whole units could be spent at once; negative in debt. */
    abstract long available(long now);

    /** The least number of ticks after which {@code cost}, at most the capacity, could be spent. */
    abstract long retryAfter(long cost, long now);

    /** The least number of ticks after which nothing is missing any more. */
    abstract long resetAfter(long now);

    /** Spends whether it fits or not; nobody ever owes more than one capacity. */
    abstract void spend(long cost, long now);

    /** Gives back what was spent at that time, as far as it still counts. */
    abstract void giveBack(long cost, long spentAt, long now);

    final boolean fits(long cost, long now) {
        return cost <= available(now);
    }
}
