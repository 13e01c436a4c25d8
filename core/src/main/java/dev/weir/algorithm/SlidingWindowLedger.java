package dev.weir.algorithm;

import dev.weir.SlidingWindow;
import java.util.Arrays;

/**
 * The sliding window: a log of times and amounts.
 *
 * <p><b>Model.</b> A charge at {@code t} counts at {@code now} while {@code now - t < period}. A charge fits if its
 * cost and all that counts are at most the limit. So no stretch of the period's length, open at one end, ever holds
 * more.
 *
 * <p>Each charge is logged at the last tick of its <em>grain</em>: one tick for limits up to {@link
 * SlidingWindow#EXACT_LIMIT}, which is exact, and a hundredth of the period above, where charges of one grain share an
 * entry. As it is logged later than it came, a charge can only count for longer, by less than one grain.
 *
 * <p>A clock that stepped back moves the whole log back with it: elapsed time below zero counts as zero.
 */
final class SlidingWindowLedger extends Ledger {
    private final long limit;
    private final long period;
    private final long grain;
    /** Times and counts, alternating, oldest first, from {@code first} to {@code end}; counts are positive. */
    private long[] log = new long[8];

    private int first;
    private int end;
    private long total;

    SlidingWindowLedger(SlidingWindow policy, Resolution resolution) {
        this.limit = policy.limit();
        this.period = policy.period().toNanos() / resolution.nanosPerTick();
        this.grain = grain(limit, period);
    }

    static long grain(long limit, long period) {
        return limit <= SlidingWindow.EXACT_LIMIT ? 1 : (period + SlidingWindow.SEGMENTS - 1) / SlidingWindow.SEGMENTS;
    }

    @Override
    public long available(long now) {
        return limit - total(now);
    }

    @Override
    public long retryAfter(long cost, long now) {
        long excess = total(now) + cost - limit;
        for (int i = first; i < end; i += 2) {
            excess -= log[i + 1];
            if (excess <= 0) {
                return log[i] + period - now;
            }
        }
        throw new IllegalArgumentException("cost " + cost + " is above the limit " + limit);
    }

    @Override
    public long resetAfter(long now) {
        return total(now) == 0 ? 0 : log[end - 2] + period - now;
    }

    @Override
    public void spend(long cost, long now) {
        total(now);
        // Units above the bound on debt are not logged: the debt is at most one limit.
        long units = Math.min(cost, 2 * limit - total);
        if (units <= 0) {
            return;
        }
        long time = lastTickOfGrain(now);
        if (end > first && log[end - 2] == time) {
            log[end - 1] += units;
        } else {
            append(time, units);
        }
        total += units;
    }

    /** Gives back to the entry of that time; an entry that no longer counts is unchanged. */
    @Override
    public void giveBack(long cost, long spentAt, long now) {
        total(now);
        long time = lastTickOfGrain(spentAt);
        for (int i = first; i < end; i += 2) {
            if (log[i] == time) {
                long units = Math.min(cost, log[i + 1]);
                log[i + 1] -= units;
                total -= units;
            }
        }
        dropEmptyEntries();
    }

    @Override
    public long[] state() {
        return Arrays.copyOfRange(log, first, end);
    }

    /** Restores a log from its {@link #state()}. */
    SlidingWindowLedger resumed(long[] state) {
        log = Arrays.copyOf(state, Math.max(8, state.length));
        first = 0;
        end = state.length;
        total = 0;
        for (int i = 0; i < end; i += 2) {
            total += log[i + 1];
        }
        return this;
    }

    private long lastTickOfGrain(long time) {
        return Math.floorDiv(time, grain) * grain + grain - 1;
    }

    /** Removes entries that no longer count and returns the sum of the others. */
    private long total(long now) {
        followBackwards(now);
        while (first < end && now - log[first] >= period) {
            total -= log[first + 1];
            first += 2;
        }
        if (first == end) {
            first = 0;
            end = 0;
        }
        return total;
    }

    private void followBackwards(long now) {
        if (end > first && log[end - 2] > lastTickOfGrain(now)) {
            long step = log[end - 2] - lastTickOfGrain(now);
            for (int i = first; i < end; i += 2) {
                log[i] -= step;
            }
        }
    }

    private void append(long time, long units) {
        if (end == log.length) {
            makeRoom();
        }
        log[end] = time;
        log[end + 1] = units;
        end += 2;
    }

    private void makeRoom() {
        int length = end - first;
        long[] roomy = length > log.length / 2 ? Arrays.copyOf(log, log.length * 2) : log;
        System.arraycopy(log, first, roomy, 0, length);
        log = roomy;
        first = 0;
        end = length;
    }

    private void dropEmptyEntries() {
        int kept = first;
        for (int i = first; i < end; i += 2) {
            if (log[i + 1] > 0) {
                log[kept] = log[i];
                log[kept + 1] = log[i + 1];
                kept += 2;
            }
        }
        end = kept;
    }
}
