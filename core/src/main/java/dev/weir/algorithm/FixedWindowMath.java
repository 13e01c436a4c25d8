package dev.weir.algorithm;

import dev.weir.FixedWindow;
import org.jspecify.annotations.Nullable;

/**
 * The fixed window that begins with its first charge.
 *
 * <p><b>Model.</b> A start and the amount used since. The window is live while {@code now - start < period}; after that
 * the whole quota is back and the next charge begins a new window. A start that lies ahead (the clock stepped back)
 * counts as now. The used amount never exceeds twice the limit, which bounds the debt to one limit; the debt ends with
 * its window.
 *
 * <p><b>Packed.</b> The start in the high bits, two ticks later so that zero means no window, and the used count in the
 * low ones. A window whose charges were all given back keeps its start, so that no state occurs twice under two
 * policies. Packed states are for clocks that never step back. A start that lies ahead was written by a thread that
 * read the clock later, and stays; moving it back would end the window early.
 */
public final class FixedWindowMath implements PackedMath {
    private static final long START_OFFSET = 2;

    private final long limit;
    private final long period;
    private final int usedBits;

    private FixedWindowMath(long limit, long period) {
        this.limit = limit;
        this.period = period;
        this.usedBits = Long.SIZE - Long.numberOfLeadingZeros(2 * limit);
    }

    static @Nullable FixedWindowMath at(Resolution resolution, FixedWindow policy) {
        return resolution.divides(policy.period())
                ? new FixedWindowMath(policy.limit(), policy.period().toNanos() / resolution.nanosPerTick())
                : null;
    }

    // On the start and the used count.

    boolean isLive(long start, long now) {
        return now - start < period;
    }

    long spent(long used, long cost) {
        return Math.min(used + Math.min(cost, 2 * limit), 2 * limit);
    }

    long available(long used) {
        return limit - used;
    }

    long ticksLeft(long start, long now) {
        return Math.min(start, now) + period - now;
    }

    // On the packed state.

    @Override
    public boolean packs(long horizonTicks) {
        return horizonTicks + START_OFFSET <= MAX_STATE >> usedBits;
    }

    @Override
    public long take(long state, long cost, long now) {
        long start = start(state);
        if (isOpen(state) && isLive(start, now)) {
            if (start > now) {
                return STALE;
            }
            return cost <= limit - used(state) ? pack(start, used(state) + cost) : REFUSED;
        }
        return cost <= limit ? pack(now, cost) : REFUSED;
    }

    @Override
    public long spend(long state, long cost, long now) {
        long start = start(state);
        return isOpen(state) && isLive(start, now) ? pack(start, spent(used(state), cost)) : pack(now, spent(0, cost));
    }

    @Override
    public long giveBack(long state, long cost, long spentAt, long now) {
        long start = start(state);
        if (!isOpen(state) || !isLive(start, now) || spentAt < start) {
            return state;
        }
        return pack(start, Math.max(0, used(state) - cost));
    }

    @Override
    public long notice(long state, long now) {
        return state;
    }

    @Override
    public long available(long state, long now) {
        return isOpen(state) && isLive(start(state), now) ? available(used(state)) : limit;
    }

    @Override
    public long retryAfter(long state, long cost, long now) {
        return ticksLeft(start(state), now);
    }

    @Override
    public long resetAfter(long state, long now) {
        return isOpen(state) && isLive(start(state), now) ? ticksLeft(start(state), now) : 0;
    }

    private boolean isOpen(long state) {
        return state >>> usedBits != 0 && used(state) != 0;
    }

    private long start(long state) {
        return (state >>> usedBits) - START_OFFSET;
    }

    private long used(long state) {
        return state & ((1L << usedBits) - 1);
    }

    private long pack(long start, long used) {
        return ((start + START_OFFSET) << usedBits) | used;
    }
}
