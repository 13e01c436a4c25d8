package dev.weir.memory;

import dev.weir.Reading;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The budgets whose state is one long, in shards by hash: each shard grows and is swept by itself, in small steps. */
final class PackedTable implements LedgerTable.Former {
    /**
     * A hash's low bits choose the shard; the table does not keep them ({@link Slots#POLICY_BITS}). Few enough that the
     * headers of all their arrays stay in the nearest cache, which every lookup reads.
     */
    private static final int MAX_SHARDS = 64;

    private static final int KEYS_PER_SHARD = 4096;

    private final Shard[] shards;
    private final Generations[] generations;
    /** The words of every shard's present generation: with as few steps from object to object as can be. */
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
     * Does it to the key's state: answers what became of it, as {@link Taken} reads it; stale only to
     * {@link Verb#TAKE}.
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

    /** Gives back what was spent then, under the policy that the key has by now. */
    void giveBack(long hash, Gauge gauge, long amount, Moment spent, long now) {
        shardOf(hash).apply(Verb.GIVE_BACK, hash, gauge, amount, spent, now);
    }

    /** Adjusts what the key has spent under the policy that it has by now; false if it has spent nothing here. */
    boolean adjust(Verb verb, long hash, long amount, Moment spent, long now) {
        return shardOf(hash).adjust(verb, hash, amount, spent, now);
    }

    /** Forgets the key if it is whole. */
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
