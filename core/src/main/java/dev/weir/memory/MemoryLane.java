package dev.weir.memory;

import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.WaitingLine;

/** The fast lane of the memory store for policies whose state is packed. */
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

    @Override
    public boolean tryConsume(long keyHash, long cost) {
        long mark = table.apply(Verb.TAKE, keyHash, gauge, cost, 0, clock.now());
        if ((mark & Slots.UNCHANGED) == 0) {
            return true;
        }
        return clock.lags()
                && (table.apply(Verb.TAKE, keyHash, gauge, cost, 0, clock.precise()) & Slots.UNCHANGED) == 0;
    }

    @Override
    public KeyLimiter forKey(Key key, WaitingLine line) {
        return new MemoryKeyLimiter(store, gauge, key, line);
    }
}
