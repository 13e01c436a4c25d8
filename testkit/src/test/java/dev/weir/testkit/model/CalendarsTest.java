package dev.weir.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The calendar around every offset change in every time zone, for the years to come. */
class CalendarsTest {
    private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant TO = Instant.parse("2029-01-01T00:00:00Z");

    @ParameterizedTest
    @EnumSource(names = {"MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS"})
    void stretches_aroundEveryChange_followEachOtherWithoutGap(ChronoUnit unit) {
        for (ZoneId zone : zones()) {
            CalendarWindow window = new CalendarWindow(1, unit, zone);
            for (long instant : instants(zone)) {
                CalendarPeriod stretch = Calendars.stretch(window, instant);
                assertThat(instant).as("%s %s", zone, unit).isBetween(stretch.start(), stretch.end() - 1);
                assertThat(Calendars.stretch(window, stretch.end()).start())
                        .as("%s %s after %s", zone, unit, Instant.ofEpochMilli(instant))
                        .isEqualTo(stretch.end());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS"})
    void ledger_aroundEveryChange_endsItsWindowWhenTheModelDoes(ChronoUnit unit) {
        for (ZoneId zone : zones()) {
            CalendarWindow window = new CalendarWindow(1, unit, zone);
            for (long instant : instants(zone)) {
                Ledger ledger = PolicyModel.local(window).open(0);
                ledger.spend(1, instant);
                assertThat(ledger.resetAfter(instant))
                        .as("%s %s at %s", zone, unit, Instant.ofEpochMilli(instant))
                        .isEqualTo(Calendars.stretch(window, instant).end() - instant);
            }
        }
    }

    private static List<ZoneId> zones() {
        return ZoneId.getAvailableZoneIds().stream().sorted().map(ZoneId::of).toList();
    }

    /** Every quarter of an hour, and a millisecond before it, from two hours before each change until two after. */
    private static List<Long> instants(ZoneId zone) {
        List<Long> instants = new ArrayList<>();
        ZoneOffsetTransition change = zone.getRules().nextTransition(FROM);
        while (change != null && change.getInstant().isBefore(TO)) {
            for (int quarter = -8; quarter <= 8; quarter++) {
                long instant = change.getInstant().toEpochMilli() + quarter * 900_000L;
                instants.add(instant - 1);
                instants.add(instant);
            }
            change = zone.getRules().nextTransition(change.getInstant());
        }
        return instants;
    }
}
