package dev.weir.testkit.model;

import dev.weir.CalendarWindow;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;

/**
 * Computes where calendar periods begin and end, without any cached state.
 *
 * <p>Days, weeks and months begin with the first instant of their first date. Hours and minutes begin whenever the wall
 * clock shows a full one, and when a change of the zone's offset jumps from one into another. A jump within an hour
 * does not end it.
 */
final class Calendars {
    private Calendars() {}

    static CalendarPeriod stretch(CalendarWindow window, long now) {
        ZoneId zone = window.zone();
        LocalDate today = Instant.ofEpochMilli(now).atZone(zone).toLocalDate();
        return switch (window.unit()) {
            case DAYS -> dates(zone, today, today.plusDays(1));
            case WEEKS -> {
                LocalDate monday = today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                yield dates(zone, monday, monday.plusDays(7));
            }
            case MONTHS -> {
                LocalDate first = LocalDate.of(today.getYear(), today.getMonth(), 1);
                yield dates(zone, first, first.plusMonths(1));
            }
            default -> new CalendarPeriod(lastTurn(zone, window.unit(), now), nextTurn(zone, window.unit(), now));
        };
    }

    private static CalendarPeriod dates(ZoneId zone, LocalDate first, LocalDate next) {
        return new CalendarPeriod(
                first.atStartOfDay(zone).toInstant().toEpochMilli(),
                next.atStartOfDay(zone).toInstant().toEpochMilli());
    }

    /** The last start of an hour or minute at or before {@code now}. */
    private static long lastTurn(ZoneId zone, ChronoUnit unit, long now) {
        long shown = now + offset(zone, now);
        long turn = now - Math.floorMod(shown, unit.getDuration().toMillis());
        ZoneOffsetTransition leap = zone.getRules().previousTransition(Instant.ofEpochMilli(now + 1));
        if (leap == null || leap.toEpochSecond() * 1_000 <= turn) {
            return turn;
        }
        long leapAt = leap.toEpochSecond() * 1_000;
        return turns(leap, unit) ? leapAt : lastTurn(zone, unit, leapAt - 1);
    }

    /** The first start of an hour or minute after {@code now}. */
    private static long nextTurn(ZoneId zone, ChronoUnit unit, long now) {
        long shown = now + offset(zone, now);
        long length = unit.getDuration().toMillis();
        long turn = now - Math.floorMod(shown, length) + length;
        ZoneOffsetTransition leap = zone.getRules().nextTransition(Instant.ofEpochMilli(now));
        if (leap == null || leap.toEpochSecond() * 1_000 > turn) {
            return turn;
        }
        long leapAt = leap.toEpochSecond() * 1_000;
        return turns(leap, unit) ? leapAt : nextTurn(zone, unit, leapAt);
    }

    /** Whether the hour or minute changes, or begins again, at this offset transition. */
    private static boolean turns(ZoneOffsetTransition leap, ChronoUnit unit) {
        LocalDateTime before = leap.getDateTimeBefore().minusNanos(1).truncatedTo(unit);
        LocalDateTime after = leap.getDateTimeAfter();
        return after.equals(after.truncatedTo(unit)) || !before.equals(after.truncatedTo(unit));
    }

    private static long offset(ZoneId zone, long now) {
        return zone.getRules().getOffset(Instant.ofEpochMilli(now)).getTotalSeconds() * 1_000L;
    }
}
