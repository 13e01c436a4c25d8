package dev.weir.testkit;

import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** A store unlike the memory store passes, too: the contract requires no implementation detail. */
class LockedStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new LockedStoreUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.CLOCK_STEPS_BACK, Ability.STEADY_CLOCK, Ability.SWEEP);
    }
}
