package dev.weir.testkit.history;

import dev.weir.Store;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.model.Timing;

/** The memory store on a fake clock. */
public final class MemoryUnderTest extends StoreOnFakeClock {
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
    public void sweep() {
        store.sweep();
    }

    @Override
    public void close() {
        store.close();
    }
}
