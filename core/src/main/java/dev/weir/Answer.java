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
 * <p>Every store returns its results so. Those of the memory store are complete from the start and create no future; those
 * of a store that is elsewhere are pending until its backend has answered. Code that is to run on every store takes the
 * result by {@link #await()}, {@link #whenDone} or {@link #toCompletionStage()}, and never by {@link #now()} alone.
 *
 * @param <T> what is answered
 */
public interface Answer<T> {

    /** The longest that {@link #await()} waits: longer than the deadline of any store, which ends the wait before. */
    Duration LONGEST_WAIT = Duration.ofMinutes(5);

    /** An answer that is here. */
    static <T> Answer<T> of(T value) {
        return new ReadyAnswer<>(value);
    }

    /** Whether {@link #now()} would return or throw the outcome rather than complain. */
    boolean isDone();

    /**
     * The answer, which must be here: for callers that have seen {@link #isDone()}.
     *
     * @throws StoreException if the store failed
     * @throws IllegalStateException if the answer is still on its way
     */
    T now();

    /**
     * Waits for the answer for as long as the store gives itself: every store ends a call that it cannot answer by a failure,
     * after its own deadline.
     *
     * @throws StoreException if the store failed or did not answer in time, or the thread is interrupted
     */
    default T await() {
        return await(LONGEST_WAIT);
    }

    /**
     * Waits for the answer, and not longer than this.
     *
     * @throws StoreException if the store failed or did not answer in time, or the thread is interrupted
     */
    T await(Duration timeout);

    /**
     * Calls back once with the answer or the failure, the other being null: at once in this thread when it is here,
     * later in the store's thread otherwise. The callback must not block.
     */
    void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback);

    /**
     * The answer as a stage, which fails with the {@link StoreException}. Stages that depend on it run in the store's thread
     * and must not block, unless they are given an executor. Cancelling it does not cancel the call.
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

    /** An answer that was there from the start. */
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
