package dev.weir.store.cluster;

import dev.weir.ledger.StoreTime;
import dev.weir.remote.BatchCall;
import dev.weir.store.consensus.BytesIn;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * Submits batches of commands to the replicated log and decodes the replies.
 *
 * <p>A random client id and a sequence number identify each batch. States of a batch:
 *
 * <ol>
 *   <li>Open: numbered and added to {@code open} under its monitor, then encoded and submitted.
 *   <li>Repeated: the log may submit the same bytes again, for example after a change of leader. The state machine
 *       recognizes the client id and number and applies the batch once (see {@link ClusterState}). Its reply is the same for
 *       every copy.
 *   <li>Completed: the reply or a failure removes the number from {@code open}. After a failure the batch may or may
 *       not have been applied; this class never submits it again.
 * </ol>
 *
 * <p>Each batch carries the lowest open number. The state machine drops the replies to all batches below it. That is
 * safe: such a batch has completed, so its reply is no longer needed. A late copy of it in the log is recognized as old
 * and not applied. Several batches may be in flight; numbers are assigned under the monitor, so the lowest open number
 * never decreases.
 *
 * <p>A batch with a change of settings is durable: a majority has it on disk before the reply. Safe for use by several
 * threads.
 */
final class BatchSubmitter implements BatchCall<PendingCall, Object> {
    private final ReplicatedLog log;
    private final long client = new SecureRandom().nextLong();
    /** Numbers of the batches in flight; guarded by itself. */
    private final TreeSet<Long> open = new TreeSet<>();

    private long next = 1;

    BatchSubmitter(ReplicatedLog log) {
        this.log = log;
    }

    /** The replicated log, which puts batches into one order for all nodes. */
    interface ReplicatedLog {
        /**
         * Submits a batch, repeatedly if needed, and completes with the state machine's reply.
         *
         * @param durable whether the batch must be on disk before it is acknowledged
         * @return fails with a {@link dev.weir.StoreException} if it is unknown whether the batch was applied
         */
        CompletionStage<byte[]> submit(byte[] batch, boolean durable);

        /** The format in which to write batches. */
        default int format() {
            return ClusterState.FORMATS.newest();
        }
    }

    @Override
    public CompletionStage<List<Object>> execute(List<PendingCall> asks) {
        List<ClusterRequest> questions = new ArrayList<>(asks.size());
        boolean durable = false;
        for (PendingCall ask : asks) {
            questions.add(ask.request());
            durable |= ask.request().verb() == ClusterCommand.CHANGE_SETTINGS;
        }
        long sequence;
        long answeredBelow;
        synchronized (open) {
            sequence = next++;
            open.add(sequence);
            answeredBelow = open.first();
        }
        byte[] batch = CommandBatch.write(log.format(), client, sequence, answeredBelow, questions);
        return log.submit(batch, durable)
                .whenComplete((reply, failure) -> {
                    synchronized (open) {
                        open.remove(sequence);
                    }
                })
                .thenApply(reply -> answers(asks, reply));
    }

    private static List<Object> answers(List<PendingCall> asks, byte[] reply) {
        BytesIn in = new BytesIn(reply);
        StoreTime now = new StoreTime(in.number(), in.number());
        List<Object> answers = new ArrayList<>(asks.size());
        for (PendingCall ask : asks) {
            answers.add(ask.read(in, now));
        }
        in.end();
        return answers;
    }
}
