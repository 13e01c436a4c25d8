package dev.weir.store.cluster;

import dev.weir.Store;
import dev.weir.testkit.history.StoreOnFakeClock;
import java.time.Duration;

/** The state machine alone, on a fake clock. */
final class SoloUnderTest extends StoreOnFakeClock {
    private static final Duration LONG = Duration.ofSeconds(90);
    private final ClusterStore store = new ClusterStore(new SoloLog(clock), Duration.ofSeconds(1), null);

    @Override
    public Store store() {
        return store;
    }

    @Override
    public void sweep() {
        store.sweep(Integer.MAX_VALUE).await(LONG);
    }

    @Override
    public void close() {
        store.close();
    }
}
