package dev.weir.spring.test;

import dev.weir.DirectStore;
import dev.weir.Policy;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FakeClock;
import org.jspecify.annotations.Nullable;

/** A memory store that can be reset. */
final class TestStore extends FailureInjectingStore implements DirectStore {
    private final FakeClock clock;

    TestStore(FakeClock clock) {
        super(empty(clock));
        this.clock = clock;
    }

    /** Discards budgets, reservations and leases. */
    void reset() {
        replace(empty(clock));
    }

    private static MemoryStore empty(FakeClock clock) {
        return MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
    }

    /** Returns null: after a reset, a fast path would still count in the discarded store. */
    @Override
    public @Nullable FastPath fastPath(Policy policy) {
        return null;
    }
}
