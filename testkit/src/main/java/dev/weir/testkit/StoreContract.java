package dev.weir.testkit;

import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every store must pass, unchanged.
 *
 * <pre>{@code
 * class MyStoreContractTest extends StoreContract {
 *     @Override
 *     protected StoreUnderTest newStore() {
 *         return new MyStoreUnderTest();
 *     }
 * }
 * }</pre>
 *
 * <p>What a store cannot do it declares in {@link #missing()}; the tests that need it are skipped, and any other test
 * that is skipped fails.
 */
@ExtendWith(DeclaredSkip.Guard.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class StoreContract {

    /** A new, empty store, apart from all others, and the hand on its clock. */
    protected abstract StoreUnderTest newStore();

    /** What the store lacks. */
    protected abstract Set<Ability> missing();

    /** How many random histories are replayed for each kind; a store whose calls are slow takes fewer. */
    protected int histories() {
        return 200;
    }

    /** By how much less often tests ask that only ask again and again; a store whose calls are slow takes up to 10. */
    protected int thinning() {
        return 1;
    }

    /** By how much a running clock may be behind; what is spent may come back that much early. */
    protected Duration clockMayBeLate() {
        return Duration.ZERO;
    }

    @Nested
    class Admission extends AdmissionContract {
        Admission() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Parallel extends ParallelContract {
        Parallel() {
            super(StoreContract.this);
        }
    }

    @Nested
    class SeveralCharges extends SeveralChargesContract {
        SeveralCharges() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(StoreContract.this);
        }
    }

    @Nested
    class PeekResetRefund extends PeekResetRefundContract {
        PeekResetRefund() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Reservations extends ReservationContract {
        Reservations() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Leases extends LeaseContract {
        Leases() {
            super(StoreContract.this);
        }
    }

    @Nested
    class PassingTime extends PassingTimeContract {
        PassingTime() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Calendars extends CalendarContract {
        Calendars() {
            super(StoreContract.this);
        }
    }

    @Nested
    class ClockSteps extends ClockStepsContract {
        ClockSteps() {
            super(StoreContract.this);
        }
    }

    @Nested
    class PolicyChanges extends PolicyChangeContract {
        PolicyChanges() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Arguments extends ArgumentContract {
        Arguments() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Histories extends HistoryContract {
        Histories() {
            super(StoreContract.this);
        }
    }

    @Nested
    class RunningClock extends RunningClockContract {
        RunningClock() {
            super(StoreContract.this);
        }
    }

    @Nested
    class Limiters extends LimiterContract {
        Limiters() {
            super(StoreContract.this);
        }
    }
}
