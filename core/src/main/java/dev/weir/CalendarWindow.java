package dev.weir;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;

/**
 * A quota that resets in full when a second, minute, hour, day, week or month begins on the calendar of a time zone.
 *
 * <p>A day of 23 or 25 hours is one day. Weeks begin on Monday.
 *
 * @param limit the quota of one window, 1 to {@link Policy#MAX_COUNT}
 * @param unit {@code SECONDS}, {@code MINUTES}, {@code HOURS}, {@code DAYS}, {@code WEEKS} or {@code MONTHS}
 * @param zone the time zone of the calendar
 */
public record CalendarWindow(long limit, ChronoUnit unit, ZoneId zone) implements Policy {
    private static final Set<ChronoUnit> UNITS = Set.of(
            ChronoUnit.SECONDS,
            ChronoUnit.MINUTES,
            ChronoUnit.HOURS,
            ChronoUnit.DAYS,
            ChronoUnit.WEEKS,
            ChronoUnit.MONTHS);

    public CalendarWindow {
        Require.count("limit", limit);
        Objects.requireNonNull(zone, "zone");
        if (!UNITS.contains(unit)) {
            throw new ArgumentException(
                    "unit", "unit is " + unit + "; it must be SECONDS, MINUTES, HOURS, DAYS, WEEKS or MONTHS");
        }
    }

    /** A quota per calendar day of the given zone. */
    public static CalendarWindow perDay(long limit, ZoneId zone) {
        return new CalendarWindow(limit, ChronoUnit.DAYS, zone);
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(limit) * 31 + unit.hashCode() + zone.hashCode();
    }
}
