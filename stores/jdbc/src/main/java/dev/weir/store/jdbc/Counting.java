package dev.weir.store.jdbc;

import dev.weir.CalendarWindow;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.CalendarSpan;
import dev.weir.algorithm.Meter;

/**
 * A policy in the numbers that {@code weir_consume} and {@code weir_take} count with; their comments say what they mean.
 */
record Counting(int kind, long most, long n, long m, long a0, long b0, long keepMicros) {

    static Counting of(Terms terms, long metAt, long wallMillis) {
        Policy policy = terms.policy();
        Meter.BucketUnits units = terms.meter().bucketUnits();
        if (policy instanceof TokenBucket bucket && units != null) {
            long missing = (bucket.capacity() - bucket.initial()) * units.perToken();
            long fills = (units.full() + units.perTick() - 1) / units.perTick();
            return new Counting(1, units.full(), units.perTick(), 0, missing, metAt, fills);
        }
        if (policy instanceof FixedWindow window) {
            long period = window.period().toNanos() / 1_000;
            return new Counting(2, window.limit(), period, 0, 0, 0, period);
        }
        CalendarSpan span = terms.meter().calendarSpan(wallMillis);
        if (policy instanceof CalendarWindow window && span != null) {
            return new Counting(3, window.limit(), span.start(), span.end(), 0, 0, 1_000 * (span.end() - span.start()));
        }
        if (policy instanceof Streak streak) {
            long quiet = streak.quiet().toNanos() / 1_000;
            return new Counting(4, streak.capacity(), quiet, 0, 0, 0, quiet);
        }
        if (policy instanceof SlidingWindow window) {
            long period = window.period().toNanos() / 1_000;
            long grain = window.limit() <= SlidingWindow.EXACT_LIMIT
                    ? 1
                    : (period + SlidingWindow.SEGMENTS - 1) / SlidingWindow.SEGMENTS;
            return new Counting(5, window.limit(), period, grain, 0, 1, period + grain);
        }
        return new Counting(0, 0, 0, 0, 0, 0, 0);
    }

    /** What a charge adds to the count; more than it takes if the cost is impossible. */
    static long units(Asked asked) {
        long cost = asked.charge().cost();
        long capacity = asked.terms().policy().capacity();
        Meter.BucketUnits units = asked.terms().meter().bucketUnits();
        if (cost > capacity) {
            return 1 + (units == null ? capacity : units.full());
        }
        return units == null ? cost : cost * units.perToken();
    }
}
