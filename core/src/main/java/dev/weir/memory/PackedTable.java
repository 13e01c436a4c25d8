package dev.weir.memory;

import dev.weir.Reading;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The table of budgets whose state is one long, in shards by hash. Each shard grows and is swept separately, in small
 * steps.
 */
final class PackedTable implements LedgerTable.PackedPredecessor {
    /**
     * The maximum number of shards. The low bits of a hash choose the shard; the entries do not contain them ({@link
     * TableGeneration#POLICY_BITS}). There are so few shards that the headers of all their arrays stay in the first-level cache,
     * because every lookup reads one.
     */
    private static final int MAX_SHARDS = 64;

    private static final int KEYS_PER_SHARD = 4096;

    private final Shard[] shards;
    private final Generations[] generations;
    /** The arrays of every shard's current generation, with as few dereferences as possible. */
    private final AtomicReferenceArray<long[]> words;

    private final int mask;

    PackedTable(int maxKeys, PolicyRegistry policyRegistry, LedgerTable ledgers, SweepCounts swept) {
        int count = Math.min(MAX_SHARDS, Integer.highestOneBit(Math.max(1, maxKeys / KEYS_PER_SHARD)));
        this.shards = new Shard[count];
        this.generations = new Generations[count];
        this.words = new AtomicReferenceArray<>(count);
        this.mask = count - 1;
        for (int i = 0; i < count; i++) {
            generations[i] = new Generations(i, (maxKeys + count - 1) / count, policyRegistry, swept, words);
            shards[i] = new Shard(i, policyRegistry, ledgers, generations[i]);
        }
    }

    Shard shardOf(long hash) {
        return shards[(int) hash & mask];
    }

    /**
     * Applies an operation to the key's state. Returns the result, which {@link PackedResult} decodes; stale only for {@link
     * PackedOperation#TAKE}.
     */
    long apply(PackedOperation verb, long hash, BoundPolicy boundPolicy, long amount, long now) {
        long word = TableGeneration.word(hash, boundPolicy.id);
        long[] table = words.getAcquire((int) hash & mask);
        int at = TableGeneration.find(table, word);
        if (at >= 0) {
            long result = TableGeneration.update(
                    table, at, word, boundPolicy.packed(), verb, amount, 0, boundPolicy.ticks(now));
            if (result != PackedResult.ELSEWHERE) {
                return result;
            }
        }
        return shardOf(hash).apply(verb, hash, boundPolicy, amount, DecisionTime.NONE, now);
    }

    /** Gives back what was spent at that time, under the key's present policy. */
    void giveBack(long hash, BoundPolicy boundPolicy, long amount, DecisionTime spent, long now) {
        shardOf(hash).apply(PackedOperation.GIVE_BACK, hash, boundPolicy, amount, spent, now);
    }

    /** Adjusts the amount that the key has spent, under its present policy; false if it has spent nothing here. */
    boolean adjust(PackedOperation verb, long hash, long amount, DecisionTime spent, long now) {
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
    public Reading transfer(long hash, long now, LedgerTable.Successor successor) {
        return shardOf(hash).transfer(hash, now, successor);
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
