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
 * <p>It shares no code with the algorithms of {@code core}, so that an error there is not repeated here. It uses wide
 * numbers, no packing, and the simplest state.
 */
abstract class Budget implements Cloneable {
    private final Policy policy;

    Budget(Policy policy) {
        this.policy = policy;
    }

    /** Returns a budget of which nothing is spent; {@code firstSeen} is when the store first saw the policy. */
    static Budget open(Policy policy, Resolution resolution, long firstSeen) {
        if (policy instanceof TokenBucket bucket) {
            return new BucketBudget(bucket, resolution, firstSeen);
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

    /** Applies the time. After a clock was set far back, a count that lies ahead moves back to the present. */
    void notice(long now) {}

    /** A copy, for trial charges. */
    Budget copy() {
        try {
            return (Budget) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** The number of whole units that could be spent at once; negative in debt. */
    abstract long available(long now);

    /** The least number of ticks after which {@code cost}, at most the capacity, could be spent. */
    abstract long retryAfter(long cost, long now);

    /** The least number of ticks after which the budget is full. */
    abstract long resetAfter(long now);

    /** Spends whether it fits or not; the debt never exceeds one capacity. */
    abstract void spend(long cost, long now);

    /** Gives back what was spent at that time, if it still counts. */
    abstract void giveBack(long cost, long spentAt, long now);

    final boolean fits(long cost, long now) {
        return cost <= available(now);
    }
}
