package dev.weir.memory;

import dev.weir.Reading;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The table of budgets whose state is one long, in shards by hash. Each shard grows and is swept separately, in small
 * steps.
 */
final class PackedTable implements LedgerTable.Former {
    /**
     * The maximum number of shards. The low bits of a hash choose the shard; the entries do not contain them ({@link
     * Slots#POLICY_BITS}). There are so few shards that the headers of all their arrays stay in the first-level cache,
     * because every lookup reads one.
     */
    private static final int MAX_SHARDS = 64;

    private static final int KEYS_PER_SHARD = 4096;

    private final Shard[] shards;
    private final Generations[] generations;
    /** The arrays of every shard's current generation, with as few dereferences as possible. */
    private final AtomicReferenceArray<long[]> words;

    private final int mask;

    PackedTable(int maxKeys, Gauges gauges, LedgerTable ledgers, Sweeping swept) {
        int count = Math.min(MAX_SHARDS, Integer.highestOneBit(Math.max(1, maxKeys / KEYS_PER_SHARD)));
        this.shards = new Shard[count];
        this.generations = new Generations[count];
        this.words = new AtomicReferenceArray<>(count);
        this.mask = count - 1;
        for (int i = 0; i < count; i++) {
            generations[i] = new Generations(i, (maxKeys + count - 1) / count, gauges, swept, words);
            shards[i] = new Shard(i, gauges, ledgers, generations[i]);
        }
    }

    Shard shardOf(long hash) {
        return shards[(int) hash & mask];
    }

    /**
     * Applies an operation to the key's state. Returns the result, which {@link Taken} decodes; stale only for {@link
     * Verb#TAKE}.
     */
    long apply(Verb verb, long hash, Gauge gauge, long amount, long now) {
        long word = Slots.word(hash, gauge.id);
        long[] table = words.getAcquire((int) hash & mask);
        int at = Slots.find(table, word);
        if (at >= 0) {
            long result = Slots.update(table, at, word, gauge.packed(), verb, amount, 0, gauge.ticks(now));
            if (result != Taken.ELSEWHERE) {
                return result;
            }
        }
        return shardOf(hash).apply(verb, hash, gauge, amount, Moment.NONE, now);
    }

    /** Gives back what was spent at that time, under the key's present policy. */
    void giveBack(long hash, Gauge gauge, long amount, Moment spent, long now) {
        shardOf(hash).apply(Verb.GIVE_BACK, hash, gauge, amount, spent, now);
    }

    /** Adjusts the amount that the key has spent, under its present policy; false if it has spent nothing here. */
    boolean adjust(Verb verb, long hash, long amount, Moment spent, long now) {
        return shardOf(hash).adjust(verb, hash, amount, spent, now);
    }

    /** Evicts the key if its budget is full. */
    void forgetWhole(long hash, long now) {
        shardOf(hash).forgetWhole(hash, now);
    }

    void reset(long hash, long now) {
        shardOf(hash).reset(hash, now);
    }

    @Override
    public long spent(long hash, long now) {
        return shardOf(hash).spent(hash, now);
    }

    @Override
    public Reading handOver(long hash, long now, LedgerTable.Successor successor) {
        return shardOf(hash).handOver(hash, now, successor);
    }

    long size() {
        long size = 0;
        for (Generations each : generations) {
            size += each.size();
        }
        return size;
    }

    void sweep(long now) {
        for (Generations each : generations) {
            each.sweep(now);
        }
    }
}
