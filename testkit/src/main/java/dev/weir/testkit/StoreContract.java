package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * What every store must pass, unchanged, whatever its clock is.
 *
 * <p>A store as it is used has a clock that runs; {@link RunningClockContract} is this contract and what such a clock
 * adds. Where a test can give the store its clock, {@link GivenClockContract} checks every answer to the tick as well:
 *
 * <pre>{@code
 * class MyStoreContractTest extends RunningClockContract {
 *     @Override
 *     protected StoreUnderTest newStore() {
 *         return new MyStoreUnderTest();
 *     }
 * }
 *
 * class MyStoreGivenClockContractTest extends GivenClockContract {
 *     @Override
 *     protected StoreUnderTest newStore() {
 *         return new MyStoreOnFakeClock();
 *     }
 * }
 * }</pre>
 *
 * <p>Only a store that never has a clock of its own takes this class itself. What a store cannot do it declares in
 * {@link #missing()}.
 */
public abstract class StoreContract extends Contract {

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
    class Limiters extends LimiterContract {
        Limiters() {
            super(StoreContract.this);
        }
    }
}
