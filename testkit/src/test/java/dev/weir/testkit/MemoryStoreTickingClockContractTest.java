package dev.weir.testkit;

import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.Set;

/** The memory store on the clock that a thread publishes about every millisecond. */
class MemoryStoreTickingClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningMemoryUnderTest(MemoryStoreOptions.defaults().tickingClock());
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.EXACT_MOMENTS);
    }

    /** A tick is a millisecond; on a busy machine the thread that publishes it may be scheduled late. */
    @Override
    protected Duration clockMayBeLate() {
        return Duration.ofMillis(100);
    }
}
