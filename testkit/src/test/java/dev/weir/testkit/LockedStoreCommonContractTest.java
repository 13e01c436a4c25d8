package dev.weir.testkit;

import dev.weir.testkit.history.StoreUnderTest;

/** The part of the contract that is common to all clocks. */
class LockedStoreCommonContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new LockedStoreUnderTest();
    }
}
