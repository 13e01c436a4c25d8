package dev.weir.algorithm;

import dev.weir.CalendarWindow;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import org.jspecify.annotations.Nullable;

/**
 * A window on the calendar: from {@code start} until just before {@code end}, in milliseconds since 1970.
 *
 * <p>Days, weeks and months begin with the first instant of their first date. Hours, minutes and seconds begin when local
 * time reaches a full one, or when a change of the zone's offset leads into another one. A change that stays within the hour
 * does not end it (some zones change by half an hour).
 *
 * <p>Public for stores whose backend has no calendar and gets the windows as arguments.
 */
public record CalendarSpan(long start, long end) {

    /** The window of this policy that contains a time. */
    public static CalendarSpan of(CalendarWindow policy, long time) {
        ZoneId zone = policy.zone();
        LocalDate date = Instant.ofEpochMilli(time).atZone(zone).toLocalDate();
        return switch (policy.unit()) {
            case DAYS -> between(date, date.plusDays(1), zone);
            case WEEKS -> {
                LocalDate monday = date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                yield between(monday, monday.plusWeeks(1), zone);
            }
            case MONTHS -> {
                LocalDate first = date.withDayOfMonth(1);
                yield between(first, first.plusMonths(1), zone);
            }
            default -> new CalendarSpan(begin(policy.unit(), zone, time), finish(policy.unit(), zone, time));
        };
    }

    public boolean contains(long time) {
        return start <= time && time < end;
    }

    private static CalendarSpan between(LocalDate first, LocalDate next, ZoneId zone) {
        return new CalendarSpan(
                first.atStartOfDay(zone).toInstant().toEpochMilli(),
                next.atStartOfDay(zone).toInstant().toEpochMilli());
    }

    private static long begin(ChronoUnit unit, ZoneId zone, long time) {
        long full = lastFull(unit, zone, time);
        ZoneOffsetTransition change = zone.getRules().previousTransition(Instant.ofEpochMilli(time + 1));
        if (change == null || millis(change) <= full) {
            return full;
        }
        return leadsIntoAnother(change, unit) ? millis(change) : begin(unit, zone, millis(change) - 1);
    }

    private static long finish(ChronoUnit unit, ZoneId zone, long time) {
        long full = lastFull(unit, zone, time) + unit.getDuration().toMillis();
        @Nullable ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.ofEpochMilli(time));
        if (change == null || millis(change) > full) {
            return full;
        }
        return leadsIntoAnother(change, unit) ? millis(change) : finish(unit, zone, millis(change));
    }

    /** The last time at which local time was a full hour or minute, had the offset always been the one at this time. */
    private static long lastFull(ChronoUnit unit, ZoneId zone, long time) {
        long offset =
                1_000L * zone.getRules().getOffset(Instant.ofEpochMilli(time)).getTotalSeconds();
        return time - Math.floorMod(time + offset, unit.getDuration().toMillis());
    }

    private static boolean leadsIntoAnother(ZoneOffsetTransition change, ChronoUnit unit) {
        LocalDateTime after = change.getDateTimeAfter();
        LocalDateTime fullAfter = after.truncatedTo(unit);
        return after.equals(fullAfter)
                || !fullAfter.equals(change.getDateTimeBefore().minusNanos(1).truncatedTo(unit));
    }

    private static long millis(ZoneOffsetTransition change) {
        return 1_000 * change.toEpochSecond();
    }
}
