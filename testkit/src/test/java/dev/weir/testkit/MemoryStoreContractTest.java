package dev.weir.testkit;

import dev.weir.testkit.history.MemoryUnderTest;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** The memory store on a clock that the test advances. */
class MemoryStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new MemoryUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.MICROSECONDS);
    }

    @Override
    protected int histories() {
        return 2_000;
    }
}
