package dev.weir.store.raft;

import dev.weir.StoreException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node has submitted and nobody has answered yet. Each call is answered once, in a thread of its own for answers:
 * whoever waits for them may take long.
 */
final class Calls {
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Call> open = new ConcurrentHashMap<>();
    private final ExecutorService answers =
            Executors.newSingleThreadExecutor(task -> TcpTransport.daemon("weir-cluster-answers", task));

    /** One submission. Once others know of it, the node's thread alone changes it. */
    static final class Call {
        final long number;
        final byte[] body;
        final boolean durable;
        final long deadline;
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        int sentTo = Raft.NOBODY;
        long sentAt;
        /** When it may be sent again, after somebody refused it. */
        long notBefore = System.nanoTime();

        private Call(long number, byte[] body, boolean durable, long deadline) {
            this.number = number;
            this.body = body;
            this.durable = durable;
            this.deadline = deadline;
        }
    }

    /** One that is not open yet. */
    Call create(byte[] body, boolean durable, long deadline) {
        return new Call(numbers.incrementAndGet(), body, durable, deadline);
    }

    void open(Call call) {
        open.put(call.number, call);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Those that are open, also while others are opened and answered. */
    Collection<Call> all() {
        return open.values();
    }

    void answered(long number, byte[] reply) {
        Call call = open.remove(number);
        if (call != null) {
            complete(() -> call.answer.complete(reply));
        }
    }

    /** Somebody would not have it: it is to be sent again, but not before so long. */
    void refused(long number, long notBefore, long sentAt) {
        Call call = open.get(number);
        if (call != null) {
            call.notBefore = notBefore;
            call.sentAt = sentAt;
        }
    }

    /** What was sent to a node that hung up is to be sent to whoever leads now. */
    void hungUp(int node) {
        open.values().forEach(call -> call.sentTo = call.sentTo == node ? Raft.NOBODY : call.sentTo);
    }

    /** Fails one that is open. */
    void fail(Call call, String why) {
        if (open.remove(call.number, call)) {
            complete(() -> call.answer.completeExceptionally(new StoreException(why, true, null)));
        }
    }

    void failAll(String why) {
        open.values().forEach(call -> fail(call, why));
    }

    /** Those that are opened from now on are answered in the thread in which they are. */
    void end() {
        answers.shutdown();
    }

    private void complete(Runnable completion) {
        try {
            answers.execute(completion);
        } catch (RejectedExecutionException e) {
            completion.run();
        }
    }
}
