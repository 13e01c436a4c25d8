package dev.weir.testkit;

import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The contract of a store whose own clock runs: {@link StoreContract}, and laws for time that passes by itself. */
public abstract class RunningClockContract extends StoreContract {

    /** How far the clock may be behind; spent units may come back that much early. */
    protected Duration clockMayBeLate() {
        return Duration.ZERO;
    }

    @Nested
    class RealTime extends RealTimeContract {}
}
