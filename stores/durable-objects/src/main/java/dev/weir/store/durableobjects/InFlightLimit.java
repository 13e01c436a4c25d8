package dev.weir.store.durableobjects;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Limits the number of HTTP requests in flight; further requests wait in a queue, first in first out.
 *
 * <p>An HTTP/2 connection carries about a hundred requests, and Java's client fails any beyond that. With HTTP/1.1 it
 * would open a connection for each. Safe for use by several threads; no method blocks.
 */
final class InFlightLimit {
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Waiting<?>> line = new ConcurrentLinkedQueue<>();

    InFlightLimit(int most) {
        this.free = new AtomicInteger(most);
    }

    private record Waiting<T>(Supplier<CompletableFuture<T>> send, CompletableFuture<T> answer) {}

    /** Sends the request as soon as the limit allows, unless the returned future is completed or cancelled before. */
    <T> CompletableFuture<T> pass(Supplier<CompletableFuture<T>> send) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        line.add(new Waiting<>(send, answer));
        startNext();
        return answer;
    }

    /**
     * Starts queued requests while the limit allows. A completed request first frees its permit and then checks the
     * queue; a new request first enters the queue and then checks for a permit. So at least one of the two starts it.
     */
    private void startNext() {
        while (!line.isEmpty() && free.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            Waiting<?> next = line.poll();
            if (next == null || next.answer.isDone()) {
                free.incrementAndGet();
            } else {
                send(next);
            }
        }
    }

    private <T> void send(Waiting<T> waiting) {
        CompletableFuture<T> sent;
        try {
            sent = waiting.send.get();
        } catch (RuntimeException e) {
            sent = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> underWay = sent;
        // For a request that completed at once, the caller's loop starts the next one; this avoids recursion.
        boolean isOver = underWay.isDone();
        // Cancelling the returned future cancels the request, which may be a long poll.
        var unused = waiting.answer.whenComplete((value, failure) -> underWay.cancel(true));
        var unusedToo = underWay.whenComplete((value, failure) -> {
            free.incrementAndGet();
            if (failure == null) {
                waiting.answer.complete(value);
            } else {
                waiting.answer.completeExceptionally(failure);
            }
            if (!isOver) {
                startNext();
            }
        });
    }
}
