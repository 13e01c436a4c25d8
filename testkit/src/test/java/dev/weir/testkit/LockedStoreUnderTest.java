package dev.weir.testkit;

import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Duration;

/** The locked store on a fake clock. */
public final class LockedStoreUnderTest implements StoreUnderTest {
    private final FakeClock clock = new FakeClock();
    private final LockedStore store = new LockedStore(clock);

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.sinceEpoch(Resolution.MICROS, FakeClock.START);
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public void close() {
        store.close();
    }
}
