package dev.weir.testkit.model;

import dev.weir.SlidingWindow;
import dev.weir.algorithm.Resolution;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sliding window: a log of charges; an entry of time {@code t} counts while {@code now - t < period}.
 *
 * <p>Above {@link SlidingWindow#EXACT_LIMIT} the logged time is the last tick of the hundredth of the period in which
 * the charge came.
 */
final class SlidingBudget extends Budget {
    private final long limit;
    private final long period;
    private final long grain;
    private TreeMap<Long, Long> log = new TreeMap<>();

    SlidingBudget(SlidingWindow policy, Resolution resolution) {
        super(policy);
        this.limit = policy.limit();
        this.period = policy.period().toNanos() / resolution.nanosPerTick();
        this.grain = limit <= SlidingWindow.EXACT_LIMIT ? 1 : (period + 99) / 100;
    }

    @Override
    Budget copy() {
        SlidingBudget copy = (SlidingBudget) super.copy();
        copy.log = new TreeMap<>(log);
        return copy;
    }

    @Override
    long available(long now) {
        return limit - total(now);
    }

    /** The time until enough of the oldest entries have expired. */
    @Override
    long retryAfter(long cost, long now) {
        long total = total(now);
        long wait = 0;
        for (Map.Entry<Long, Long> entry : log.entrySet()) {
            if (total + cost <= limit) {
                break;
            }
            total -= entry.getValue();
            wait = entry.getKey() + period - now;
        }
        return wait;
    }

    @Override
    long resetAfter(long now) {
        return total(now) == 0 ? 0 : log.lastKey() + period - now;
    }

    @Override
    void spend(long cost, long now) {
        long units = Math.min(cost, 2 * limit - total(now));
        if (units > 0) {
            log.merge(written(now), units, Long::sum);
        }
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        total(now);
        log.computeIfPresent(written(spentAt), (time, units) -> units > cost ? units - cost : null);
    }

    private long written(long time) {
        return time - Math.floorMod(time, grain) + grain - 1;
    }

    private long total(long now) {
        log.keySet().removeIf(time -> now - time >= period);
        return log.values().stream().mapToLong(Long::longValue).sum();
    }
}
