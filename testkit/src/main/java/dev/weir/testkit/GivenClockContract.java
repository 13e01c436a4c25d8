package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contract of a store whose clock a test can move, in addition to {@link StoreContract}. It checks refills to the
 * tick, the golden vectors, and random histories, in which every result must equal the model's to the bit.
 */
public abstract class GivenClockContract extends Contract {

    /** The number of random histories replayed for each kind. A store with slow calls returns a smaller number. */
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
