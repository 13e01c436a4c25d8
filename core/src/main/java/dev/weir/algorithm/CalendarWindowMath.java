package dev.weir.algorithm;

import dev.weir.CalendarWindow;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.TemporalAdjusters;

/**
 * The fixed window that turns with a calendar. Times are milliseconds since the epoch, always.
 *
 * <p><b>Model.</b> The start of the window in which was last spent, and what was used in it. An older start means that
 * the whole quota is back. A newer one means that the clock stepped back: if it is the very next window, charges go on
 * counting there, so that a step over midnight gives nobody two days; if it is farther, the count moves to the present
 * window, so that a clock that ran ahead locks nobody out.
 *
 * <p><b>Packed.</b> The start in minutes since the epoch in the high bits, the used count in the low ones.
 */
public final class CalendarWindowMath implements PackedMath {
    private static final long MINUTE = 60_000;

    private final CalendarWindow policy;
    private final long limit;
    private final int usedBits;
    /** The window of the last question: the next question is most likely about the same. Immutable, so any may win. */
    private volatile Span recent = new Span(0, 0);

    CalendarWindowMath(CalendarWindow policy) {
        this.policy = policy;
        this.limit = policy.limit();
        this.usedBits = Long.SIZE - Long.numberOfLeadingZeros(2 * limit);
    }

    /** A window on the calendar: from {@code start} until just before {@code end}. */
    record Span(long start, long end) {
        boolean contains(long time) {
            return start <= time && time < end;
        }
    }

    // On the start and the used count.

    /** The window in which a charge at {@code now} counts, given the window in which was last spent. */
    Span effective(long lastStart, long now) {
        Span present = span(now);
        return lastStart == present.end ? span(lastStart) : present;
    }

    /** What of {@code used} still counts at {@code now}. */
    long counted(long lastStart, long used, long now) {
        return lastStart < span(now).start ? 0 : used;
    }

    long spent(long used, long cost) {
        return Math.min(used + Math.min(cost, 2 * limit), 2 * limit);
    }

    long available(long counted) {
        return limit - counted;
    }

    private Span span(long time) {
        Span known = recent;
        if (!known.contains(time)) {
            known = computeSpan(time);
            recent = known;
        }
        return known;
    }

    private Span computeSpan(long time) {
        ZonedDateTime then = Instant.ofEpochMilli(time).atZone(policy.zone());
        ZonedDateTime start = switch (policy.unit()) {
            case WEEKS ->
                then.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))
                        .toLocalDate()
                        .atStartOfDay(policy.zone());
            case MONTHS -> then.toLocalDate().withDayOfMonth(1).atStartOfDay(policy.zone());
            case DAYS -> then.toLocalDate().atStartOfDay(policy.zone());
            default -> then.truncatedTo(policy.unit());
        };
        ZonedDateTime end = switch (policy.unit()) {
            case WEEKS -> start.toLocalDate().plusWeeks(1).atStartOfDay(policy.zone());
            case MONTHS -> start.toLocalDate().plusMonths(1).atStartOfDay(policy.zone());
            case DAYS -> start.toLocalDate().plusDays(1).atStartOfDay(policy.zone());
            default -> start.plus(1, policy.unit());
        };
        return new Span(start.toInstant().toEpochMilli(), end.toInstant().toEpochMilli());
    }

    // On the packed state.

    @Override
    public boolean packs(long horizonTicks) {
        return horizonTicks / MINUTE <= MAX_STATE >> usedBits;
    }

    @Override
    public long take(long state, long cost, long now) {
        long counted = counted(start(state), used(state), now);
        return cost <= limit - counted ? pack(effective(start(state), now).start, counted + cost) : REFUSED;
    }

    @Override
    public long spend(long state, long cost, long now) {
        return pack(effective(start(state), now).start, spent(counted(start(state), used(state), now), cost));
    }

    @Override
    public long giveBack(long state, long cost, long spentAt, long now) {
        long counted = counted(start(state), used(state), now);
        long start = effective(start(state), now).start;
        if (counted == 0 || spentAt < start) {
            return state;
        }
        return counted <= cost ? WHOLE : pack(start, counted - cost);
    }

    @Override
    public long available(long state, long now) {
        return available(counted(start(state), used(state), now));
    }

    @Override
    public long retryAfter(long state, long cost, long now) {
        return effective(start(state), now).end - now;
    }

    @Override
    public long resetAfter(long state, long now) {
        return counted(start(state), used(state), now) == 0 ? 0 : effective(start(state), now).end - now;
    }

    private long start(long state) {
        return (state >>> usedBits) * MINUTE;
    }

    private long used(long state) {
        return state & ((1L << usedBits) - 1);
    }

    private long pack(long start, long used) {
        return ((start / MINUTE) << usedBits) | used;
    }
}
