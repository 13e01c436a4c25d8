package dev.weir.testkit;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.util.List;

/** The memory store on a fake clock. */
public final class MemoryUnderTest implements StoreUnderTest {
    private static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

    private final FakeClock clock = new FakeClock();
    private final MemoryStore store =
            MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
    private final Timing timing = Timing.ofMemoryStore(store.peek(PROBE).now().time(), FakeClock.START);

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return timing;
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public void stepBack(Duration by) {
        // What it has not seen cannot step back for it.
        store.peek(PROBE);
        clock.stepBack(by);
        store.peek(PROBE);
    }

    @Override
    public void stepWall(Duration by) {
        clock.stepWall(by);
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public void close() {
        store.close();
    }
}
