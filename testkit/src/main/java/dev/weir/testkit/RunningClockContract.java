package dev.weir.testkit;

import dev.weir.testkit.contract.RealTimeContract;
import org.junit.jupiter.api.Nested;

/** The contract of a store whose own clock runs: {@link StoreContract}, and laws for time that passes by itself. */
public abstract class RunningClockContract extends StoreContract {

    @Nested
    class RealTime extends RealTimeContract {}
}
