package dev.weir.memory;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Reading;
import dev.weir.WaitingLine;
import dev.weir.algorithm.PackedMath;
import java.util.List;

/**
 * The fast lane to one key: it remembers the slot, and finds it again when the table has a new generation.
 *
 * <p>All that a decision needs is a field here: each step from object to object costs a twentieth of a decision.
 */
final class MemoryKeyLimiter implements KeyLimiter {
    private final WaitingLine line;
    private final String value;
    private final StoreClock clock;
    private final long word;
    private final PackedMath math;
    private final boolean isNanos;
    private final Gauge gauge;
    private final Shard shard;
    private final Key key;
    private final MemoryStore store;
    /**
     * Where the key was last. Threads may overwrite each other's, and read one's table with another's index: the word
     * in the slot tells whether it is the key's.
     */
    private long[] words = new long[2];

    private int at;

    MemoryKeyLimiter(MemoryStore store, Gauge gauge, Key key, WaitingLine line) {
        this.store = store;
        this.key = key;
        this.value = key.values().get(0);
        this.line = line;
        this.clock = store.clock();
        this.gauge = gauge;
        this.math = gauge.packed();
        this.isNanos = gauge.isNanos();
        this.word = Slots.word(key.hash(), gauge.id);
        this.shard = store.table().shardOf(key.hash());
    }

    @Override
    public boolean tryConsume() {
        return take(1);
    }

    @Override
    public boolean tryConsume(long cost) {
        Charge.checkCost(cost);
        return take(cost);
    }

    @Override
    public Reading peek() {
        return store.peek(List.of(Charge.of(key, gauge.meter.policy()))).now().reading(0);
    }

    private boolean take(long cost) {
        if (!line.lets(value)) {
            return false;
        }
        long mark = takeAt(cost, clock.now());
        if ((mark & Slots.UNCHANGED) == 0) {
            return true;
        }
        return (mark == Slots.STALE || clock.lags()) && store.decider().takeAgain(key.hash(), gauge, cost);
    }

    private long takeAt(long cost, long now) {
        long[] table = words;
        int index = at;
        if (index < table.length - 1) {
            long ticks = isNanos ? now : gauge.ticks(now);
            long mark = Slots.update(table, index, word, math, Verb.TAKE, cost, 0, ticks);
            if (mark > 0) {
                return mark;
            }
        }
        return takeElsewhere(cost, now);
    }

    private long takeElsewhere(long cost, long now) {
        long mark = shard.apply(Verb.TAKE, key.hash(), gauge, cost, Moment.NONE, now);
        Place found = shard.place(word);
        words = found.words;
        at = found.at;
        return mark;
    }
}
