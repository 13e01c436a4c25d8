package dev.weir.store.jdbc.rows;

import dev.weir.CalendarWindow;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.CalendarSpan;
import dev.weir.algorithm.PolicyModel;

/**
 * The numbers of a policy that {@code weir_check} computes with; its comment defines them.
 *
 * @param perCost how many units one unit of a cost is
 */
public record SqlPolicyParameters(
        int kind, long most, long n, long m, long a0, long b0, long keepMicros, long perCost) {
    /** How many numbers {@code weir_check} gets for each key. */
    public static final int NUMBERS = 7;

    public static final int BUCKET = 1;
    public static final int FIXED = 2;

    /**
     * The numbers of a policy.
     *
     * @param metAt when the store first saw it, if it depends on that
     * @param wallMillis the time whose calendar window is meant, if it has any
     */
    public static SqlPolicyParameters of(PolicyModel model, long metAt, long wallMillis) {
        Policy policy = model.policy();
        PolicyModel.BucketUnits units = model.bucketUnits();
        if (policy instanceof TokenBucket bucket && units != null) {
            long missing = (bucket.capacity() - bucket.initial()) * units.perToken();
            long fills = (units.full() + units.perTick() - 1) / units.perTick();
            return new SqlPolicyParameters(
                    BUCKET, units.full(), units.perTick(), 0, missing, metAt, fills, units.perToken());
        }
        if (policy instanceof FixedWindow window) {
            long period = window.period().toNanos() / 1_000;
            return new SqlPolicyParameters(FIXED, window.limit(), period, 0, 0, 0, period, 1);
        }
        CalendarSpan span = model.calendarSpan(wallMillis);
        if (policy instanceof CalendarWindow window && span != null) {
            long length = 1_000 * (span.end() - span.start());
            return new SqlPolicyParameters(3, window.limit(), span.start(), span.end(), 0, 0, length, 1);
        }
        if (policy instanceof Streak streak) {
            long quiet = streak.quiet().toNanos() / 1_000;
            return new SqlPolicyParameters(4, streak.capacity(), quiet, 0, 0, 0, quiet, 1);
        }
        if (policy instanceof SlidingWindow window) {
            long period = window.period().toNanos() / 1_000;
            long grain = window.limit() <= SlidingWindow.EXACT_LIMIT
                    ? 1
                    : (period + SlidingWindow.SEGMENTS - 1) / SlidingWindow.SEGMENTS;
            return new SqlPolicyParameters(5, window.limit(), period, grain, 0, 0, period + grain, 1);
        }
        return new SqlPolicyParameters(0, 0, 0, 0, 0, 0, 0, 1);
    }

    /** The units of a charge plus those of others; more than a full budget has if they can never fit. */
    public long units(long cost, long others) {
        return cost > most / perCost || cost * perCost > most - others ? most + 1 : cost * perCost + others;
    }

    /** Whether the column {@code more} of its rows is used: a streak or a sliding window. */
    public boolean hasLog() {
        return kind > 3;
    }

    public void writeTo(long[] numbers, int index) {
        long[] own = {kind, most, n, m, a0, b0, keepMicros};
        System.arraycopy(own, 0, numbers, NUMBERS * index, NUMBERS);
    }
}
