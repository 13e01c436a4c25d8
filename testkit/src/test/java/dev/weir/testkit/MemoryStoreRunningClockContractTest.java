package dev.weir.testkit;

import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.history.StoreUnderTest;

/** The memory store with its default, precise clock. */
class MemoryStoreRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningMemoryUnderTest(MemoryStoreOptions.defaults());
    }
}
