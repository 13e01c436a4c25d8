package dev.weir.memory;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Reading;
import dev.weir.WaiterQueue;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.PolicyModel;
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
    private final WaiterQueue waiters;
    private final String value;
    private final StoreClock clock;
    private final long word;
    private final PackedMath math;
    private final boolean isNanos;
    private final BoundPolicy boundPolicy;
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

    /**
     * The last state that refused a token. A refusal by the same state is final, because the state existed before the
     * clock was read; any other must be checked again, see {@link MemoryDecider#takeAgain}. Volatile, so that it is read
     * before the clock. To read the entry itself instead would move its cache line between cores once more.
     */
    private volatile long refusing;

    MemoryKeyLimiter(MemoryStore store, BoundPolicy boundPolicy, Key key, WaiterQueue waiters) {
        this.store = store;
        this.key = key;
        this.value = key.values().get(0);
        this.waiters = waiters;
        this.clock = store.clock();
        this.boundPolicy = boundPolicy;
        this.math = boundPolicy.packed();
        this.isNanos = boundPolicy.isNanos();
        this.word = TableGeneration.word(key.hash(), boundPolicy.id);
        this.shard = store.table().shardOf(key.hash());
        PolicyModel.BucketUnits units = boundPolicy.model.bucketUnits();
        if (units != null && units.perTick() == 1 && isNanos) {
            this.tokenWord = word;
            this.tokenPrice = units.perToken();
            this.fullBucket = units.full();
        } else {
            this.tokenWord = TableGeneration.EMPTY;
            this.tokenPrice = 0;
            this.fullBucket = 0;
        }
    }

    @Override
    public boolean tryConsume() {
        if (!waiters.isFree(value)) {
            return false;
        }
        long[] table = words;
        int index = at;
        boolean isKnown = index < table.length - 1;
        long before = refusing;
        long now = clock.now();
        int taken = isKnown
                ? TableGeneration.takeToken(table, index, tokenWord, tokenPrice, fullBucket, now)
                : TableGeneration.ELSEWHERE;
        if (taken == TableGeneration.TAKEN) {
            return true;
        }
        if (taken == TableGeneration.ELSEWHERE) {
            return take(1, now);
        }
        long state = TableGeneration.stateAt(table, index);
        if (state <= 0) {
            // Reset, moved or being converted since: not a state that refuses.
            return takeAgain(1, PackedResult.STALE);
        }
        if (state != before) {
            refusing = state;
        } else if (!clock.lags()) {
            return false;
        }
        return takeAgain(1, PackedResult.left(state));
    }

    @Override
    public boolean tryConsume(long cost) {
        Charge.checkCost(cost);
        return waiters.isFree(value) && take(cost, clock.now());
    }

    @Override
    public Reading peek() {
        return store.peek(List.of(Charge.of(key, boundPolicy.model.policy())))
                .now()
                .reading(0);
    }

    private boolean take(long cost, long now) {
        long mark = takeAt(cost, now);
        return PackedResult.isTaken(mark) || takeAgain(cost, mark);
    }

    private boolean takeAgain(long cost, long refused) {
        return store.decider().takeAgain(key.hash(), boundPolicy, cost, refused);
    }

    private long takeAt(long cost, long now) {
        long[] table = words;
        int index = at;
        if (index < table.length - 1) {
            long ticks = isNanos ? now : boundPolicy.ticks(now);
            long mark = TableGeneration.update(table, index, word, math, PackedOperation.TAKE, cost, 0, ticks);
            if (mark != PackedResult.ELSEWHERE) {
                return mark;
            }
        }
        return takeElsewhere(cost, now);
    }

    private long takeElsewhere(long cost, long now) {
        long mark = shard.apply(PackedOperation.TAKE, key.hash(), boundPolicy, cost, DecisionTime.NONE, now);
        EntryLocation found = shard.place(word);
        words = found.words;
        at = found.at;
        return mark;
    }
}
