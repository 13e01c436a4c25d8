package dev.weir.testkit;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.Timing;
import java.time.Instant;

/** The memory store on its own clock. */
final class RunningMemoryUnderTest implements StoreUnderTest {
    private final MemoryStore store;

    RunningMemoryUnderTest(MemoryStoreOptions options) {
        this.store = MemoryStore.create(options);
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.ofMemoryStore(0, Instant.EPOCH);
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public ModelTime momentOf(Decision decision) {
        return new ModelTime(decision.time(), 0);
    }

    @Override
    public void close() {
        store.close();
    }
}
