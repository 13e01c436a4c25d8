package dev.weir.testkit;

import dev.weir.Store;
import dev.weir.testkit.history.StoreOnFakeClock;

/** The locked store on a fake clock. */
public final class LockedStoreUnderTest extends StoreOnFakeClock {
    private final LockedStore store = new LockedStore(clock);

    @Override
    public Store store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
    }
}
