package dev.weir.memory;

import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.KeyHash;
import dev.weir.KeyLimiter;
import dev.weir.WaitingLine;

/** The fast path of the memory store, for policies whose state is packed. */
final class MemoryLane implements DirectStore.Lane {
    private final MemoryStore store;
    private final Gauge gauge;
    private final PackedTable table;
    private final StoreClock clock;

    MemoryLane(MemoryStore store, Gauge gauge) {
        this.store = store;
        this.gauge = gauge;
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
        long mark = table.apply(Verb.TAKE, hash, gauge, cost, now);
        if (Taken.isTaken(mark)) {
            return true;
        }
        return (Taken.isStale(mark) || clock.lags()) && store.decider().takeAgain(hash, gauge, cost);
    }

    @Override
    public KeyLimiter forKey(Key key, WaitingLine line) {
        return new MemoryKeyLimiter(store, gauge, key, line);
    }
}
