package dev.weir.memory;

import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.Policy;

/** The fast lane of the memory store for policies whose state is packed. */
final class MemoryLane implements DirectStore.Lane {
    private final MemoryStore store;
    private final Gauge gauge;
    private final PackedTable table;
    private final StoreClock clock;

    private MemoryLane(MemoryStore store, Gauge gauge) {
        this.store = store;
        this.gauge = gauge;
        this.table = store.table();
        this.clock = store.clock();
    }

    static MemoryLane of(MemoryStore store, Policy policy) {
        return new MemoryLane(store, store.gauge(policy));
    }

    @Override
    public boolean tryConsume(long keyHash, long cost) {
        if (gauge.packed == null) {
            return store.takeFromLedger(keyHash, gauge, cost);
        }
        Shard shard = table.shardOf(keyHash);
        long mark = shard.apply(Verb.TAKE, keyHash, gauge, cost, 0, clock.now());
        if ((mark & Slots.UNCHANGED) == 0) {
            return true;
        }
        return clock.lags()
                && (shard.apply(Verb.TAKE, keyHash, gauge, cost, 0, clock.precise()) & Slots.UNCHANGED) == 0;
    }

    @Override
    public DirectStore.Spot spot(Key key) {
        return gauge.packed == null ? cost -> tryConsume(key.hash(), cost) : new MemorySpot(table, gauge, clock, key);
    }
}
