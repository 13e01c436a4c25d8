package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.testkit.Ability;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Quotas that are renewed with the calendar of a time zone. */
public abstract class CalendarContract extends ContractPart {
    private Instant wall = Instant.EPOCH;

    @BeforeEach
    void readTheWall() {
        wall = Instant.EPOCH.plusNanos(trial().timing().start().wallNanos());
    }

    @Test
    void day_endsAtMidnightOfItsZone() {
        CalendarWindow berlin = CalendarWindow.perDay(5, ZoneId.of("Europe/Berlin"));
        until("2026-03-10T22:59:59.999Z");
        assertThat(consume(key("a"), berlin, 5).reading(0)).isEqualTo(new Reading.Admitted(0, Duration.ofMillis(1)));
        assertThat(consume(key("a"), berlin, 1).reading(0))
                .isEqualTo(new Reading.Refused(0, Duration.ofMillis(1), Duration.ofMillis(1)));
        until("2026-03-10T23:00:00Z");
        assertThat(consume(key("a"), berlin, 1).reading(0)).isEqualTo(new Reading.Admitted(4, Duration.ofHours(24)));
    }

    @Test
    void day_withAChangeOfTheClocks_isOneDay() {
        CalendarWindow berlin = CalendarWindow.perDay(5, ZoneId.of("Europe/Berlin"));
        until("2026-03-28T23:00:00Z");
        assertThat(consume(key("a"), berlin, 1).reading(0)).isEqualTo(new Reading.Admitted(4, Duration.ofHours(23)));
        until("2026-10-24T22:00:00Z");
        assertThat(consume(key("a"), berlin, 1).reading(0)).isEqualTo(new Reading.Admitted(4, Duration.ofHours(25)));
        until("2026-10-25T22:59:59.999Z");
        assertThat(remaining(key("a"), berlin)).isEqualTo(4);
        until("2026-10-25T23:00:00Z");
        assertThat(remaining(key("a"), berlin)).isEqualTo(5);
    }

    @Test
    void everyUnit_turnsWithItsCalendar() {
        until("2026-02-11T10:20:30.500Z");
        assertTurns(ChronoUnit.SECONDS, "2026-02-11T10:20:31Z");
        assertTurns(ChronoUnit.MINUTES, "2026-02-11T10:21:00Z");
        assertTurns(ChronoUnit.HOURS, "2026-02-11T11:00:00Z");
        assertTurns(ChronoUnit.DAYS, "2026-02-12T00:00:00Z");
        assertTurns(ChronoUnit.WEEKS, "2026-02-16T00:00:00Z");
        assertTurns(ChronoUnit.MONTHS, "2026-03-01T00:00:00Z");
    }

    /** An hour begins when the wall clock shows a full hour, also where clocks are changed by half an hour. */
    @Test
    void hour_whereClocksAreSetByHalfAnHour_neverEndsInThePast() {
        CalendarWindow hour = new CalendarWindow(5, ChronoUnit.HOURS, ZoneId.of("Australia/Lord_Howe"));
        // At 15:00 UTC the clocks go back from 02:00 to 01:30, and the hour from 01:00 lasts another half hour.
        until("2026-04-04T14:30:00Z");
        assertThat(consume(key("back"), hour, 5).reading(0)).isEqualTo(new Reading.Admitted(0, Duration.ofMinutes(60)));
        until("2026-04-04T15:10:00Z");
        assertThat(consume(key("back"), hour, 1).reading(0))
                .isEqualTo(new Reading.Refused(0, Duration.ofMinutes(20), Duration.ofMinutes(20)));
        until("2026-04-04T15:30:00Z");
        assertThat(consume(key("back"), hour, 1).reading(0)).isEqualTo(new Reading.Admitted(4, Duration.ofMinutes(60)));
        // At 15:30 UTC they go forward from 02:00 to 02:30, and the hour that begins there lasts only half an hour.
        until("2026-10-03T15:40:00Z");
        assertThat(consume(key("forward"), hour, 5).reading(0))
                .isEqualTo(new Reading.Admitted(0, Duration.ofMinutes(20)));
        until("2026-10-03T16:00:00Z");
        assertThat(remaining(key("forward"), hour)).isEqualTo(5);
    }

    @Test
    void refund_onTheNextDay_givesNothingToIt() {
        CalendarWindow day = CalendarWindow.perDay(10, ZoneOffset.UTC);
        until("2026-05-05T12:00:00Z");
        Decision yesterday = consume(key("a"), day, 6);
        until("2026-05-06T12:00:00Z");
        consume(key("a"), day, 5);
        await(store().refund(yesterday));
        assertThat(remaining(key("a"), day)).isEqualTo(5);
    }

    @Test
    void decision_readOnTheNextDay_saysWhatItSaid() {
        CalendarWindow day = CalendarWindow.perDay(10, ZoneOffset.UTC);
        until("2026-05-05T12:00:00Z");
        Decision yesterday = consume(key("a"), day, 6);
        until("2026-05-06T12:00:00Z");
        assertThat(yesterday.readings()).isEqualTo(List.of(new Reading.Admitted(4, Duration.ofHours(12))));
    }

    /** A clock step over midnight does not grant two daily quotas. */
    @Test
    void wallClock_setBackOverMidnight_countsOnInTheDayThatHadBegun() {
        needs(Ability.CLOCK_STEPS_BACK);
        CalendarWindow day = CalendarWindow.perDay(10, ZoneOffset.UTC);
        until("2026-05-05T23:59:00Z");
        consume(key("a"), day, 10);
        until("2026-05-06T00:00:30Z");
        consume(key("a"), day, 9);
        trial().stepWall(Duration.ofMinutes(-1));
        assertThat(consume(key("a"), day, 2).reading(0)).isInstanceOf(Reading.Refused.class);
        assertThat(consume(key("a"), day, 1).reading(0))
                .isEqualTo(new Reading.Admitted(0, Duration.ofHours(24).plusSeconds(30)));
    }

    /** A clock that ran far ahead locks no caller out after it is corrected. */
    @Test
    void wallClock_setBackByMonths_endsWithThePresentDay() {
        needs(Ability.CLOCK_STEPS_BACK);
        CalendarWindow day = CalendarWindow.perDay(10, ZoneOffset.UTC);
        until("2026-08-05T12:00:00Z");
        consume(key("a"), day, 10);
        trial().stepWall(Duration.ofDays(-90));
        assertThat(consume(key("a"), day, 1).reading(0))
                .isEqualTo(new Reading.Refused(0, Duration.ofHours(12), Duration.ofHours(12)));
        advance(Duration.ofHours(12));
        assertAdmitted(consume(key("a"), day, 10), 0);
    }

    private void assertTurns(ChronoUnit unit, String next) {
        CalendarWindow window = new CalendarWindow(3, unit, ZoneOffset.UTC);
        assertThat(consume(key(window), window, 1).reading(0))
                .isEqualTo(new Reading.Admitted(2, Duration.between(wall, Instant.parse(next))));
    }

    /** Advances the clock until the wall clock shows this time. */
    private void until(String then) {
        Instant instant = Instant.parse(then);
        advance(Duration.between(wall, instant));
        wall = instant;
    }
}
