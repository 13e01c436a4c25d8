package dev.weir.algorithm;

import dev.weir.CalendarWindow;
import java.time.temporal.ChronoUnit;

/**
 * The fixed window that follows a calendar. Times are milliseconds since the epoch, always.
 *
 * <p><b>Model.</b> The start of the last window that was spent from, and the amount used in it. An older start means
 * that the whole quota is back. A newer one means that the clock stepped back. If it is the very next window, charges
 * go on counting there, so that a step over midnight does not grant two daily quotas. If it is farther ahead, the next
 * read moves the count to the present window, so that a clock that ran ahead does not lock clients out.
 *
 * <p><b>Packed.</b> The start in minutes since the epoch in the high bits, the used count in the low ones. Windows of a
 * second have their start in seconds.
 */
public final class CalendarWindowMath implements PackedMath {
    private static final long SECOND_MILLIS = 1_000;
    private static final long MINUTE_MILLIS = 60_000;

    private final CalendarWindow policy;
    private final long limit;
    private final int usedBits;
    /** The unit of a packed start; every window begins at a multiple of it. */
    private final long startMillis;
    /**
     * A cache of the last window: the next call is most likely for the same one. Immutable, so racing writes are
     * harmless.
     */
    private volatile CalendarSpan recent = new CalendarSpan(0, 0);

    CalendarWindowMath(CalendarWindow policy) {
        this.policy = policy;
        this.limit = policy.limit();
        this.startMillis = policy.unit() == ChronoUnit.SECONDS ? SECOND_MILLIS : MINUTE_MILLIS;
        this.usedBits = Long.SIZE - Long.numberOfLeadingZeros(2 * limit);
    }

    // On the start and the used count.

    /** The window in which a charge at {@code now} counts, given the last window that was spent from. */
    CalendarSpan effective(long lastStart, long used, long now) {
        CalendarSpan present = span(now);
        return used > 0 && lastStart == present.end() ? span(lastStart) : present;
    }

    /** The part of {@code used} that still counts at {@code now}. */
    long counted(long lastStart, long used, long now) {
        return lastStart < span(now).start() ? 0 : used;
    }

    /** The start of the window to which the count belongs, read at {@code now}. */
    long noticedStart(long lastStart, long now) {
        return isFarAhead(lastStart, now) ? span(now).start() : lastStart;
    }

    long spent(long used, long cost) {
        return Math.min(used + Math.min(cost, 2 * limit), 2 * limit);
    }

    long available(long counted) {
        return limit - counted;
    }

    private boolean isFarAhead(long lastStart, long now) {
        return lastStart > span(now).end();
    }

    private CalendarSpan span(long time) {
        CalendarSpan known = recent;
        if (!known.contains(time)) {
            known = CalendarSpan.of(policy, time);
            recent = known;
        }
        return known;
    }

    // On the packed state.

    @Override
    public boolean packs(long horizonTicks) {
        return horizonTicks / startMillis <= MAX_STATE >> usedBits;
    }

    @Override
    public long take(long state, long cost, long now) {
        if (isFarAhead(start(state), now)) {
            return STALE;
        }
        long counted = counted(start(state), used(state), now);
        return cost <= limit - counted ? pack(effective(state, now).start(), counted + cost) : REFUSED;
    }

    @Override
    public long spend(long state, long cost, long now) {
        // A count that is far ahead stays there until a read moves it: the spending thread may have been delayed.
        long start = isFarAhead(start(state), now)
                ? start(state)
                : effective(state, now).start();
        return pack(start, spent(counted(start(state), used(state), now), cost));
    }

    @Override
    public long giveBack(long state, long cost, long spentAt, long now) {
        long counted = counted(start(state), used(state), now);
        long start = effective(state, now).start();
        if (counted == 0 || spentAt < start) {
            return state;
        }
        return pack(start, Math.max(0, counted - cost));
    }

    @Override
    public long notice(long state, long now) {
        return isFarAhead(start(state), now) ? pack(span(now).start(), used(state)) : state;
    }

    @Override
    public long available(long state, long now) {
        return available(counted(start(state), used(state), now));
    }

    @Override
    public long retryAfter(long state, long cost, long now) {
        return effective(state, now).end() - now;
    }

    @Override
    public long resetAfter(long state, long now) {
        return counted(start(state), used(state), now) == 0
                ? 0
                : effective(state, now).end() - now;
    }

    private CalendarSpan effective(long state, long now) {
        return effective(start(state), used(state), now);
    }

    private long start(long state) {
        return (state >>> usedBits) * startMillis;
    }

    private long used(long state) {
        return state & ((1L << usedBits) - 1);
    }

    private long pack(long start, long used) {
        return ((start / startMillis) << usedBits) | used;
    }
}
