package dev.weir.store.cluster;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.ledger.StoreTime;
import dev.weir.memory.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A log of one node: applies each batch at once, and by turns through a snapshot or twice, which must change nothing. */
final class SoloLog implements BatchSubmitter.ReplicatedLog {
    private final TimeSource clock;
    private final long begin;
    private ClusterState clusterState = newBook(ClusterState.MOST_BUDGETS);
    private long lastNanos;
    private long nanos;
    private int count;

    SoloLog(TimeSource clock) {
        this.clock = clock;
        this.lastNanos = clock.nanos();
        this.begin = clock.epochMillis() * 1_000;
    }

    static ClusterState newBook(int mostBudgets) {
        return new ClusterState(mostBudgets, new SettingsState(new JsonSettingsFormat()), ClusterState.FORMATS);
    }

    @Override
    public synchronized CompletionStage<byte[]> submit(byte[] batch, boolean durable) {
        long raw = clock.nanos();
        nanos += Math.max(0, raw - lastNanos);
        lastNanos = raw;
        StoreTime now = new StoreTime(begin + nanos / 1_000, clock.epochMillis());
        count++;
        if (count % 7 == 0) {
            ClusterState copy = newBook(ClusterState.MOST_BUDGETS);
            ClusterStateSnapshot.read(ClusterStateSnapshot.write(clusterState), copy);
            clusterState = copy;
        }
        byte[] reply = clusterState.apply(batch, now);
        if (count % 3 == 0) {
            reply = clusterState.apply(batch, now);
        }
        return CompletableFuture.completedFuture(reply);
    }
}
