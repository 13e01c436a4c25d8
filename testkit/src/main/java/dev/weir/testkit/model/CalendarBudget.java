package dev.weir.testkit.model;

import dev.weir.CalendarWindow;

/**
 * The calendar window: a count for one calendar period.
 *
 * <p>After the wall clock was set back, the count may belong to a later period than the present one. If that is the
 * next period, charges continue to count there. If it is farther, the count moves back to the present period.
 */
final class CalendarBudget extends Budget {
    private final CalendarWindow window;
    /** The start of the period to which {@link #used} belongs. */
    private long start;

    private long used;

    CalendarBudget(CalendarWindow policy) {
        super(policy);
        this.window = policy;
    }

    @Override
    void notice(long now) {
        CalendarPeriod present = Calendars.stretch(window, now);
        if (start > present.end()) {
            start = present.start();
        }
    }

    @Override
    long available(long now) {
        return window.limit() - counted(now);
    }

    @Override
    long retryAfter(long cost, long now) {
        return fits(cost, now) ? 0 : stretch(now).end() - now;
    }

    @Override
    long resetAfter(long now) {
        return counted(now) == 0 ? 0 : stretch(now).end() - now;
    }

    @Override
    void spend(long cost, long now) {
        long counted = counted(now);
        start = stretch(now).start();
        used = cost > 2 * window.limit() - counted ? 2 * window.limit() : counted + cost;
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        long counted = counted(now);
        CalendarPeriod stretch = stretch(now);
        if (counted > 0 && spentAt >= stretch.start()) {
            start = stretch.start();
            used = Math.max(0, counted - cost);
        }
    }

    private long counted(long now) {
        return start < Calendars.stretch(window, now).start() ? 0 : used;
    }

    private CalendarPeriod stretch(long now) {
        CalendarPeriod present = Calendars.stretch(window, now);
        return used > 0 && start == present.end() ? Calendars.stretch(window, start) : present;
    }
}
