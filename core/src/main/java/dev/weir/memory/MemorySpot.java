package dev.weir.memory;

import dev.weir.DirectStore;
import dev.weir.Key;

/** The fast lane to one key: it remembers the slot, and finds it again when the table has a new generation. */
final class MemorySpot implements DirectStore.Spot {
    private final Shard shard;
    private final Gauge gauge;
    private final StoreClock clock;
    private final long hash;
    private final long word;
    /** Where the key was last; immutable, so that threads may overwrite each other's. */
    private Shard.Place place;

    MemorySpot(PackedTable table, Gauge gauge, StoreClock clock, Key key) {
        this.shard = table.shardOf(key.hash());
        this.gauge = gauge;
        this.clock = clock;
        this.hash = key.hash();
        this.word = Slots.word(hash, gauge.id);
        this.place = Shard.Place.NOWHERE;
    }

    @Override
    public boolean tryConsume(long cost) {
        if ((take(cost, clock.now()) & Slots.UNCHANGED) == 0) {
            return true;
        }
        return clock.lags() && (take(cost, clock.precise()) & Slots.UNCHANGED) == 0;
    }

    private long take(long cost, long now) {
        Shard.Place known = place;
        long mark = known.slots().update(known.at(), word, gauge, Verb.TAKE, cost, 0, now);
        return mark > 0 ? mark : takeElsewhere(cost, now);
    }

    private long takeElsewhere(long cost, long now) {
        long mark = shard.apply(Verb.TAKE, hash, gauge, cost, 0, now);
        Shard.Place found = shard.place(word);
        place = found == null ? Shard.Place.NOWHERE : found;
        return mark;
    }
}
