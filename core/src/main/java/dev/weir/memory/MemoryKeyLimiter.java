package dev.weir.memory;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Reading;
import dev.weir.WaitingLine;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.PackedMath;
import java.util.List;

/**
 * The fast path of one key: it caches the location of the key's entry, and finds it again when the table has a new
 * generation.
 *
 * <p>All that a decision needs is a field here: each dereference of another object costs a twentieth of a decision. One
 * token of a bucket whose units are nanoseconds, the most frequent case, has code of its own: the checks that
 * distinguish policies and costs would add a tenth.
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
     * The key's word if its policy is a bucket whose units are nanoseconds; else a word that no entry with a state has.
     */
    private final long tokenWord;

    private final long tokenPrice;
    private final long fullBucket;
    /**
     * The last known location of the key. Threads may overwrite each other's, and combine one thread's array with
     * another's index. The word in the entry shows whether it is the key's.
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
        Meter.BucketUnits units = gauge.meter.bucketUnits();
        if (units != null && units.perTick() == 1 && isNanos) {
            this.tokenWord = word;
            this.tokenPrice = units.perToken();
            this.fullBucket = units.full();
        } else {
            this.tokenWord = Slots.EMPTY;
            this.tokenPrice = 0;
            this.fullBucket = 0;
        }
    }

    @Override
    public boolean tryConsume() {
        if (!line.lets(value)) {
            return false;
        }
        long now = clock.now();
        long[] table = words;
        int index = at;
        int taken = index < table.length - 1
                ? Slots.takeToken(table, index, tokenWord, tokenPrice, fullBucket, now)
                : Slots.ELSEWHERE;
        if (taken == Slots.TAKEN) {
            return true;
        }
        return taken == Slots.ELSEWHERE ? take(1, now) : clock.lags() && takeAgain(1);
    }

    @Override
    public boolean tryConsume(long cost) {
        Charge.checkCost(cost);
        return line.lets(value) && take(cost, clock.now());
    }

    @Override
    public Reading peek() {
        return store.peek(List.of(Charge.of(key, gauge.meter.policy()))).now().reading(0);
    }

    private boolean take(long cost, long now) {
        long mark = takeAt(cost, now);
        if (Taken.isTaken(mark)) {
            return true;
        }
        return (Taken.isStale(mark) || clock.lags()) && takeAgain(cost);
    }

    private boolean takeAgain(long cost) {
        return store.decider().takeAgain(key.hash(), gauge, cost);
    }

    private long takeAt(long cost, long now) {
        long[] table = words;
        int index = at;
        if (index < table.length - 1) {
            long ticks = isNanos ? now : gauge.ticks(now);
            long mark = Slots.update(table, index, word, math, Verb.TAKE, cost, 0, ticks);
            if (mark != Taken.ELSEWHERE) {
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
