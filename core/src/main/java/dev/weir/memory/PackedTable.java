package dev.weir.memory;

import java.util.concurrent.atomic.LongAdder;

/** The budgets whose state is one long, in shards by hash: each shard grows and is swept by itself, in small steps. */
final class PackedTable implements LedgerTable.Former {
    /** A hash's low bits choose the shard; the table does not keep them ({@link Slots#POLICY_BITS}). */
    private static final int MAX_SHARDS = 256;

    private static final int KEYS_PER_SHARD = 4096;

    private final Shard[] shards;
    private final int mask;

    PackedTable(int maxKeys, Gauges gauges, LedgerTable ledgers, LongAdder swept) {
        int count = Math.min(MAX_SHARDS, Integer.highestOneBit(Math.max(1, maxKeys / KEYS_PER_SHARD)));
        this.shards = new Shard[count];
        this.mask = count - 1;
        for (int i = 0; i < count; i++) {
            shards[i] = new Shard(i, (maxKeys + count - 1) / count, gauges, ledgers, swept);
        }
    }

    Shard shardOf(long hash) {
        return shards[(int) hash & mask];
    }

    long apply(Verb verb, long hash, Gauge gauge, long amount, long spentAt, long now) {
        return shardOf(hash).apply(verb, hash, gauge, amount, spentAt, now);
    }

    @Override
    public long spent(long hash, long now) {
        return shardOf(hash).spent(hash, now, false);
    }

    @Override
    public long withdraw(long hash, long now) {
        return shardOf(hash).spent(hash, now, true);
    }

    long size() {
        long size = 0;
        for (Shard shard : shards) {
            size += shard.size();
        }
        return size;
    }

    void sweep(long now) {
        for (Shard shard : shards) {
            shard.sweep(now);
        }
    }
}
