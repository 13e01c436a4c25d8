package dev.weir.testkit;

import dev.weir.testkit.contract.CalendarContract;
import dev.weir.testkit.contract.ClockStepsContract;
import dev.weir.testkit.contract.Contract;
import dev.weir.testkit.contract.HistoryContract;
import dev.weir.testkit.contract.LeaseEndContract;
import dev.weir.testkit.contract.PassingTimeContract;
import dev.weir.testkit.contract.PolicyChangeInTimeContract;
import dev.weir.testkit.contract.ReservationEndContract;
import org.junit.jupiter.api.Nested;

/**
 * The contract of a store whose clock a test can move, in addition to {@link StoreContract}. It checks refills to the
 * tick, the golden vectors, and random histories, in which every result must equal the model's to the bit.
 */
public abstract class GivenClockContract extends Contract {

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
