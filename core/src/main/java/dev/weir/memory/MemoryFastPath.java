package dev.weir.memory;

import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.KeyHash;
import dev.weir.KeyLimiter;
import dev.weir.WaiterQueue;

/** The fast path of the memory store, for policies whose state is packed. */
final class MemoryFastPath implements DirectStore.FastPath {
    private final MemoryStore store;
    private final BoundPolicy boundPolicy;
    private final PackedTable table;
    private final StoreClock clock;

    MemoryFastPath(MemoryStore store, BoundPolicy boundPolicy) {
        this.store = store;
        this.boundPolicy = boundPolicy;
        this.table = store.table();
        this.clock = store.clock();
    }

    /**
     * The clock is read before the key is looked up: reading it waits for pending memory accesses, and the key's entry
     * is likely to come from main memory.
     */
    @Override
    public boolean tryConsume(long scopeHash, String value, long cost) {
        long now = clock.now();
        long hash = KeyHash.then(scopeHash, value);
        long mark = table.apply(PackedOperation.TAKE, hash, boundPolicy, cost, now);
        return PackedResult.isTaken(mark) || store.decider().takeAgain(hash, boundPolicy, cost, mark);
    }

    @Override
    public KeyLimiter forKey(Key key, WaiterQueue waiters) {
        return new MemoryKeyLimiter(store, boundPolicy, key, waiters);
    }
}
