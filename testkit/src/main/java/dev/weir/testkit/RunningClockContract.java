package dev.weir.testkit;

import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** What a store must pass whose clock is its own, and runs: {@link StoreContract}, and laws of time that passes by itself. */
public abstract class RunningClockContract extends StoreContract {

    /** By how much the clock may be behind; what is spent may come back that much early. */
    protected Duration clockMayBeLate() {
        return Duration.ZERO;
    }

    @Nested
    class RealTime extends RealTimeContract {}
}
