package dev.weir.testkit;

import dev.weir.testkit.history.StoreUnderTest;

/** What any clock has in common. */
class LockedStoreCommonContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new LockedStoreUnderTest();
    }
}
