package dev.weir.testkit;

import dev.weir.testkit.contract.AdmissionContract;
import dev.weir.testkit.contract.ArgumentContract;
import dev.weir.testkit.contract.Contract;
import dev.weir.testkit.contract.KeyContract;
import dev.weir.testkit.contract.LeaseContract;
import dev.weir.testkit.contract.LimiterContract;
import dev.weir.testkit.contract.ParallelContract;
import dev.weir.testkit.contract.PeekResetRefundContract;
import dev.weir.testkit.contract.PolicyChangeContract;
import dev.weir.testkit.contract.ReservationContract;
import dev.weir.testkit.contract.SeveralChargesContract;
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
    class Admission extends AdmissionContract {}

    @Nested
    class Parallel extends ParallelContract {}

    @Nested
    class SeveralCharges extends SeveralChargesContract {}

    @Nested
    class Keys extends KeyContract {}

    @Nested
    class PeekResetRefund extends PeekResetRefundContract {}

    @Nested
    class Reservations extends ReservationContract {}

    @Nested
    class Leases extends LeaseContract {}

    @Nested
    class PolicyChanges extends PolicyChangeContract {}

    @Nested
    class Arguments extends ArgumentContract {}

    @Nested
    class Limiters extends LimiterContract {}
}
