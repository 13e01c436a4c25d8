package dev.weir.store.cluster;

import dev.weir.ledger.Moment;
import dev.weir.remote.Trip;
import dev.weir.store.raft.BytesIn;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/** Takes questions to the log in numbered batches, and reads the replies. */
final class Clerk implements Trip<Ask, Object> {
    private final Log log;
    private final long client = new SecureRandom().nextLong();
    /** The batches that are not answered yet; guarded by itself. */
    private final TreeSet<Long> open = new TreeSet<>();

    private long next = 1;

    Clerk(Log log) {
        this.log = log;
    }

    /** What brings batches into one order for all nodes. */
    interface Log {
        /**
         * Has a batch applied, once, however often it is sent, and answers the book's reply.
         *
         * @param durable whether it must be on disk before it is acknowledged
         * @return fails with a {@link dev.weir.StoreException} if nobody knows what became of it
         */
        CompletionStage<byte[]> submit(byte[] batch, boolean durable);
    }

    @Override
    public CompletionStage<List<Object>> make(List<Ask> asks) {
        List<Question> questions = new ArrayList<>(asks.size());
        boolean durable = false;
        for (Ask ask : asks) {
            questions.add(ask.question());
            durable |= ask.question().verb() == Verb.CHANGE_SETTINGS;
        }
        long sequence;
        long answeredBelow;
        synchronized (open) {
            sequence = next++;
            open.add(sequence);
            answeredBelow = open.first();
        }
        byte[] batch = Batch.write(client, sequence, answeredBelow, questions);
        return log.submit(batch, durable)
                .whenComplete((reply, failure) -> {
                    synchronized (open) {
                        open.remove(sequence);
                    }
                })
                .thenApply(reply -> answers(asks, reply));
    }

    private static List<Object> answers(List<Ask> asks, byte[] reply) {
        BytesIn in = new BytesIn(reply);
        Moment now = new Moment(in.number(), in.number());
        List<Object> answers = new ArrayList<>(asks.size());
        for (Ask ask : asks) {
            answers.add(ask.read(in, now));
        }
        in.end();
        return answers;
    }
}
