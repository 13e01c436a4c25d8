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
    class PassingTime extends PassingTimeContract {
        PassingTime() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class LeaseEnds extends LeaseEndContract {
        LeaseEnds() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class ReservationEnds extends ReservationEndContract {
        ReservationEnds() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class PolicyChangesInTime extends PolicyChangeInTimeContract {
        PolicyChangesInTime() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class Calendars extends CalendarContract {
        Calendars() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class ClockSteps extends ClockStepsContract {
        ClockSteps() {
            super(GivenClockContract.this);
        }
    }

    @Nested
    class Histories extends HistoryContract {
        Histories() {
            super(GivenClockContract.this);
        }
    }
}
