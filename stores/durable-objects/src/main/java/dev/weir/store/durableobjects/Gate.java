package dev.weir.store.durableobjects;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Lets only so many requests be under way at a time; the others wait in line.
 *
 * <p>A connection of HTTP/2 carries a hundred or so, and Java's client fails what comes on top; of HTTP/1.1 it opens a
 * connection for each.
 */
final class Gate {
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Waiting<?>> line = new ConcurrentLinkedQueue<>();

    Gate(int most) {
        this.free = new AtomicInteger(most);
    }

    private record Waiting<T>(Supplier<CompletableFuture<T>> send, CompletableFuture<T> answer) {}

    /** Sends as soon as there is room, unless the answer is given up before. */
    <T> CompletableFuture<T> pass(Supplier<CompletableFuture<T>> send) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        line.add(new Waiting<>(send, answer));
        letIn();
        return answer;
    }

    /** Whoever leaves looks at the line afterwards, and whoever comes looks for room afterwards: one sees the other. */
    private void letIn() {
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
        // What is over at once is followed by who let it in.
        boolean isOver = underWay.isDone();
        // Whoever gives up the answer gives up the request: a wait would otherwise go on.
        var unused = waiting.answer.whenComplete((value, failure) -> underWay.cancel(true));
        var unusedToo = underWay.whenComplete((value, failure) -> {
            free.incrementAndGet();
            if (failure == null) {
                waiting.answer.complete(value);
            } else {
                waiting.answer.completeExceptionally(failure);
            }
            if (!isOver) {
                letIn();
            }
        });
    }
}
