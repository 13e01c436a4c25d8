package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.DurationText;
import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Batches concurrent requests to a backend: those that are queued while a call is in flight are sent together in the
 * next one.
 *
 * <p>With nothing in flight, a request is sent at once, alone, in the caller's thread: batching adds no delay. The
 * busier the backend is, the larger the batches become, so a hot key needs the fewest calls when it is hottest. Safe
 * for use by any number of threads. No thread takes a lock, and {@link #ask} does not block, except in a call that its
 * own thread makes.
 *
 * @param <Q> the type of requests
 * @param <A> the type of results
 */
public final class Batcher<Q, A> implements AutoCloseable {
    /*
     * How batches are sent.
     *
     * State: a queue of requests; "waiting", its length; "batchesInFlight", the number of permits in use. A permit is the
     * right to send batches, one after the other. A thread takes a permit only while fewer than maxInFlightNow() are in
     * use. When that number falls, permits above it are given back as soon as their holder finds the queue empty.
     *
     * A request is in one of three states. Queued: in the queue, counted by "waiting". In flight: in exactly one batch,
     * because poll() returns it to one thread; counted by "inFlight". Complete: its promise has a result. A request
     * leaves the queue only in nextBatch(), which either adds it to the batch or rejects it as too old, and in
     * rejectAll() after close(). Both complete it in the end, so no caller waits forever.
     *
     * A permit is free, or held by one thread in sendBatches(), or held by one call in flight. sendBatches() loops: collect a
     * batch, send it, complete its requests, and again. It ends in one of three ways:
     * - The queue is empty. The thread frees the permit and then looks at the queue again.
     * - The call is still in flight. The permit stays in use, and the thread that completes the call continues with it.
     * - The caller's own request is complete and others are queued. The permit goes on to a thread of the relay.
     *
     * No request is stranded: a caller adds to the queue first and then looks for a free permit, and a thread frees its
     * permit first and then looks at the queue. All four steps are volatile, so at least one of the two sees the other.
     * With minConcurrentBatch, a caller may leave its request to a batch in flight: the thread of that batch looks at the
     * queue when it has completed.
     *
     * Two threads meet at the end of a call: the one that started it and the one that completes it. Each increments
     * InFlightBatch.sidesDone, and the later one completes the requests and continues the loop. So calls that complete at once are
     * iterations and not nested calls, and the fields of the batch are published by the increment.
     */
    /** After this many calls without a waiting thread, callers are assumed to use callbacks. */
    static final int UNTIL_CALLED_BACK = 16;

    private final BatchCall<Q, A> call;
    private final Weigher<? super Q> weigher;
    private final BatcherOptions options;
    private final LongSupplier nanoClock;
    private final long longestWaitNanos;
    private final SpinWait spinWait;

    private final ConcurrentLinkedQueue<PendingRequest<Q, A, ?>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger batchesInFlight = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    /** The number of distinct requests in the latest batch. */
    private volatile int recentDistinct;

    /** How many calls in a row completed while no thread waited, up to {@link #UNTIL_CALLED_BACK}. */
    private volatile int batchesWithoutThreads;

    private final LongAdder batches = new LongAdder();
    private final LongAdder batchedRequests = new LongAdder();
    private volatile boolean closed;

    public Batcher(BatchCall<Q, A> call, BatcherOptions options) {
        this(call, request -> 1, options);
    }

    public Batcher(BatchCall<Q, A> call, Weigher<? super Q> weigher, BatcherOptions options) {
        this(call, weigher, options, System::nanoTime);
    }

    Batcher(BatchCall<Q, A> call, Weigher<? super Q> weigher, BatcherOptions options, LongSupplier nanoClock) {
        this.call = call;
        this.weigher = weigher;
        this.options = options;
        this.nanoClock = nanoClock;
        this.longestWaitNanos = options.longestWait().toNanos();
        this.spinWait = options.spinWait() == null ? SpinWait.yielding() : options.spinWait();
    }

    /** Adds a request to the next batch, which is sent now if fewer than the maximum are in flight. */
    public Answer<A> ask(Q request) {
        return ask(request, Answer::of);
    }

    /**
     * Adds a request to the next batch, which is sent now if fewer than the maximum are in flight.
     *
     * @param read converts the backend's result; for misuse or a failure of this request alone, it returns a failed
     *     answer
     */
    public <T> Answer<T> ask(Q request, Function<? super A, Answer<T>> read) {
        if (closed) {
            return failed("the store is closed", false);
        }
        if (waiting.incrementAndGet() > options.mostWaiting()) {
            waiting.decrementAndGet();
            return failed("more than " + options.mostWaiting() + " calls are queued for the store already", true);
        }
        var asked = new PendingRequest<Q, A, T>(request, read, nanoClock.getAsLong(), spinWait);
        queue.add(asked);
        if (closed) {
            rejectAll();
        } else {
            trySend();
        }
        return asked;
    }

    /** The number of calls made so far. */
    public long batches() {
        return batches.sum();
    }

    /** The number of requests sent so far, without those that were rejected. */
    public long batchedRequests() {
        return batchedRequests.sum();
    }

    /** The number of queued requests. */
    public int waiting() {
        return waiting.get();
    }

    /** Rejects queued and new requests; batches in flight complete. */
    @Override
    public void close() {
        closed = true;
        rejectAll();
    }

    /** Starts a batch if fewer than the maximum are in flight and the queue justifies one. */
    private void trySend() {
        // A thread that frees a permit checks the queue afterwards, and a caller that queues a request checks the
        // permits afterwards: one of them sees the other.
        if (isWorthABatch() && takePermit()) {
            Executor executor = options.executor();
            if (executor == null || !tryHandOff(executor)) {
                sendBatches(SendingThread.CALLER_THREAD);
            }
        }
    }

    /** Whether the queue justifies a batch now. If not, a batch in flight is followed by one with the whole queue. */
    private boolean isWorthABatch() {
        int least = options.minConcurrentBatch();
        return least == 0
                || batchesInFlight.get() == 0
                || (waiting.get() >= least && (isCalledBack() || recentDistinct >= least));
    }

    /**
     * Whether all callers use callbacks. Then several calls in flight pay even for equal requests: the backend works on
     * one while the callbacks of another run. Waiting threads are served better by one call, which wakes them all.
     */
    private boolean isCalledBack() {
        return batchesWithoutThreads >= UNTIL_CALLED_BACK;
    }

    private int maxInFlightNow() {
        return options.minConcurrentBatch() > 0 && isCalledBack()
                ? options.maxInFlightCalledBack()
                : options.maxInFlight();
    }

    /** The kind of thread that sends a batch. */
    private enum SendingThread {
        /** A caller's thread: it sends one batch only. */
        CALLER_THREAD,
        /** A thread of the relay or of the executor, which exists for this. */
        EXECUTOR_THREAD,
        /** The thread that completed the previous batch, which has other work to do. */
        COMPLETION_THREAD
    }

    /** Sends batches with a permit that this thread holds, until a batch is in flight or the queue is empty. */
    private void sendBatches(SendingThread thread) {
        while (true) {
            List<PendingRequest<Q, A, ?>> batch = nextBatch();
            if (batch.isEmpty()) {
                batchesInFlight.decrementAndGet();
                if (queue.isEmpty() || !takePermit()) {
                    return;
                }
                continue;
            }
            if (!queue.isEmpty()) {
                trySend();
            }
            var inFlightBatch = new InFlightBatch(batch);
            // The resulting stage adds no information.
            var unused = start(batch).whenComplete(inFlightBatch::onCompletion);
            if (inFlightBatch.isStillInFlight()) {
                return;
            }
            inFlightBatch.completeAll();
            if (thread == SendingThread.CALLER_THREAD && !queue.isEmpty() && tryHandOff(options.relay())) {
                return;
            }
            if (thread == SendingThread.EXECUTOR_THREAD) {
                yieldToCallers(batch.size());
            }
        }
    }

    /**
     * Yields once so that callers that were just completed can join the next batch. Does nothing if they are queued
     * already.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield: without it batches are smaller.
    private void yieldToCallers(int answered) {
        if (answered > waiting.get()) {
            Thread.yield();
        }
    }

    /** Hands the permit to a thread of the executor; false if it rejects the task. */
    private boolean tryHandOff(Executor others) {
        try {
            others.execute(() -> sendBatches(SendingThread.EXECUTOR_THREAD));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the error: no thread could be started
            // This thread continues instead, so that queued requests are not stranded.
            return false;
        }
    }

    /** Collects the next batch from the queue. */
    private List<PendingRequest<Q, A, ?>> nextBatch() {
        var batch = new ArrayList<PendingRequest<Q, A, ?>>();
        long now = nanoClock.getAsLong();
        long room = options.maxBatch();
        int share = share();
        boolean calledBack = isCalledBack();
        int different = 0;
        PendingRequest<Q, A, ?> last = null;
        while (room > 0 && (calledBack ? batch.size() : different) < share) {
            PendingRequest<Q, A, ?> next = queue.poll();
            if (next == null) {
                break;
            }
            waiting.decrementAndGet();
            if (now - next.askedAt > longestWaitNanos) {
                next.fail(new StoreException(
                        "the call was queued for more than " + DurationText.of(options.longestWait()), true, null));
                continue;
            }
            batch.add(next);
            room -= weigher.weight(next.request);
            if (last == null || !weigher.isRepeat(last.request, next.request)) {
                different++;
            }
            last = next;
        }
        if (!batch.isEmpty()) {
            recentDistinct = different;
            inFlight.addAndGet(batch.size());
        }
        return batch;
    }

    /** The number of distinct requests for one batch, so that all calls in flight have as much to do. */
    private int share() {
        int all = waiting.get() + inFlight.get();
        int least = options.minConcurrentBatch();
        int maxInFlight = maxInFlightNow();
        return least == 0 || all < 2 * least ? Integer.MAX_VALUE : (all + maxInFlight - 1) / maxInFlight;
    }

    private CompletionStage<List<A>> start(List<PendingRequest<Q, A, ?>> batch) {
        var requests = new ArrayList<Q>(batch.size());
        for (PendingRequest<Q, A, ?> each : batch) {
            requests.add(each.request);
        }
        batches.increment();
        batchedRequests.add(batch.size());
        try {
            return call.execute(requests);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private boolean takePermit() {
        while (true) {
            int busy = batchesInFlight.get();
            if (busy >= maxInFlightNow()) {
                return false;
            }
            if (batchesInFlight.compareAndSet(busy, busy + 1)) {
                return true;
            }
        }
    }

    private void rejectAll() {
        for (PendingRequest<Q, A, ?> next = queue.poll(); next != null; next = queue.poll()) {
            waiting.decrementAndGet();
            next.fail(new StoreException("the store is closed", false, null));
        }
    }

    private static <A> Answer<A> failed(String message, boolean retryable) {
        return Promise.failed(new StoreException(message, retryable, null));
    }

    /** A queued request; also the promise of its result. */
    private static final class PendingRequest<Q, A, T> extends Promise<T> {
        private final Q request;
        private final Function<? super A, Answer<T>> read;
        private final long askedAt;

        private PendingRequest(Q request, Function<? super A, Answer<T>> read, long askedAt, SpinWait spinWait) {
            super(spinWait);
            this.request = request;
            this.read = read;
            this.askedAt = askedAt;
        }

        private void onAnswer(A answer) {
            try {
                follow(read.apply(answer));
            } catch (RuntimeException e) {
                fail(new StoreException("the answer could not be used", false, e));
            }
        }
    }

    /**
     * A batch whose call may complete before the starting thread checks. The later of starter and completer continues
     * the loop, so that a thousand calls that complete at once are a loop and not a thousand nested calls.
     */
    private final class InFlightBatch {
        private final List<PendingRequest<Q, A, ?>> batch;
        private final AtomicInteger sidesDone = new AtomicInteger();
        private @Nullable List<A> answers;
        private @Nullable Throwable failure;

        private InFlightBatch(List<PendingRequest<Q, A, ?>> batch) {
            this.batch = batch;
        }

        private void onCompletion(@Nullable List<A> given, @Nullable Throwable error) {
            answers = given;
            failure = error;
            if (sidesDone.getAndIncrement() == 1) {
                completeAll();
                if (!isCalledBack() && spinWait.pays()) {
                    yieldToCallers(batch.size());
                }
                sendBatches(SendingThread.COMPLETION_THREAD);
            }
        }

        /** Whether the call is still in flight, so that its completion continues the loop. */
        private boolean isStillInFlight() {
            return sidesDone.getAndIncrement() == 0;
        }

        /**
         * Completes every request of the batch: before the next batch, so that callers with another request can join
         * it.
         */
        private void completeAll() {
            inFlight.addAndGet(-batch.size());
            noteWaitingThreads();
            List<A> given = answers;
            if (given != null && given.size() == batch.size()) {
                for (int i = 0; i < given.size(); i++) {
                    batch.get(i).onAnswer(given.get(i));
                }
            } else {
                StoreException told = toStoreException(failure);
                for (PendingRequest<Q, A, ?> each : batch) {
                    each.fail(told);
                }
            }
        }
    }

    /**
     * Records at the end of a call whether a thread has waited since the last one. A lost update is corrected by the
     * next call.
     */
    private void noteWaitingThreads() {
        int calls = batchesWithoutThreads;
        if (spinWait.hasThreadWaited()) {
            batchesWithoutThreads = 0;
        } else if (calls < UNTIL_CALLED_BACK) {
            batchesWithoutThreads = calls + 1;
        }
    }

    private static StoreException toStoreException(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof StoreException known) {
            return known;
        }
        return cause == null
                ? new StoreException(
                        "the store returned another number of results than there were requests", false, null)
                : new StoreException("the store failed", true, cause);
    }
}
