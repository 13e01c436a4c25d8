package dev.weir;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A result that is complete or pending, like a future.
 *
 * <p>Every store returns its results so. Those of the memory store are complete from the start and create no future.
 * Those of a remote store are pending until its backend has responded. Code that runs on every store reads the result
 * with {@link #await()}, {@link #whenDone} or {@link #toCompletionStage()}, never with {@link #now()} alone.
 *
 * @param <T> the type of the result
 */
public interface Answer<T> {

    /** The timeout of {@link #await()}: longer than the deadline of any store, which ends the wait before. */
    Duration LONGEST_WAIT = Duration.ofMinutes(5);

    /** Returns a completed answer with this value. */
    static <T> Answer<T> of(T value) {
        return new ReadyAnswer<>(value);
    }

    /** Whether the result is complete, so that {@link #now()} returns the value or throws the failure. */
    boolean isDone();

    /**
     * The result of a completed answer. For callers that have seen {@link #isDone()} return true.
     *
     * @throws StoreException if the store failed
     * @throws IllegalStateException if the result is still pending
     */
    T now();

    /**
     * Waits for the result until the store's own deadline. Every store completes a call that it cannot serve with a
     * failure after that deadline.
     *
     * @throws StoreException if the store failed or did not respond in time, or the thread is interrupted
     */
    default T await() {
        return await(LONGEST_WAIT);
    }

    /**
     * Waits for the result for at most {@code timeout}.
     *
     * @throws StoreException if the store failed or did not respond in time, or the thread is interrupted
     */
    T await(Duration timeout);

    /**
     * Calls the callback once with the value or the failure; the other argument is null. A completed answer calls it at
     * once in this thread, a pending one later in the store's thread. The callback must not block.
     */
    void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback);

    /**
     * The result as a stage, which fails with the {@link StoreException}. Stages that depend on it run in the store's
     * thread and must not block, unless they are given an executor. Cancelling it does not cancel the call.
     */
    default CompletionStage<T> toCompletionStage() {
        CompletableFuture<T> future = new CompletableFuture<>();
        whenDone((value, failure) -> {
            if (failure == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(failure);
            }
        });
        return future;
    }

    /** An answer that is complete from the start. */
    record ReadyAnswer<T>(T value) implements Answer<T> {
        public ReadyAnswer {
            Objects.requireNonNull(value, "value");
        }

        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public T now() {
            return value;
        }

        @Override
        public T await(Duration timeout) {
            return value;
        }

        @Override
        public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
            callback.accept(value, null);
        }
    }
}
