package dev.weir.testkit;

import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** The memory store as it is used: on the precise clock. */
class MemoryStoreRunningClockContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningMemoryUnderTest(MemoryStoreOptions.defaults());
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.GIVEN_CLOCK, Ability.CLOCK_STEPS_BACK, Ability.STEADY_CLOCK, Ability.MICROSECONDS);
    }
}
