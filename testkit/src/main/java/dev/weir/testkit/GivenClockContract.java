package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * What a store must pass whose clock a test moves, beside {@link StoreContract}: what comes back when, to the tick; the
 * golden vectors; and random histories, in which every answer is the model's to the bit.
 */
public abstract class GivenClockContract extends Contract {

    /** How many random histories are replayed for each kind; a store whose calls are slow takes fewer. */
    protected int histories() {
        return 200;
    }

    @Nested
    class PassingTime extends PassingTimeContract {}

    @Nested
    class LeaseEnds extends LeaseEndContract {}

    @Nested
    class ReservationEnds extends ReservationEndContract {}

    @Nested
    class PolicyChangesInTime extends PolicyChangeInTimeContract {}

    @Nested
    class Calendars extends CalendarContract {}

    @Nested
    class ClockSteps extends ClockStepsContract {}

    @Nested
    class Histories extends HistoryContract {}
}
