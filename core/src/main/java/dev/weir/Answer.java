package dev.weir;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is here already or still on its way.
 *
 * <p>Every store answers in this one shape. What the memory store returns is its own answer, so that synchronous use
 * creates no future; a remote store returns one that completes when its backend has spoken.
 *
 * @param <T> what is answered
 */
public interface Answer<T> {

    /** An answer that is here. */
    static <T> Answer<T> of(T value) {
        return new ReadyAnswer<>(value);
    }

    /** Whether {@link #now()} would return or throw the outcome rather than complain. */
    boolean isDone();

    /**
     * The answer, which must be here.
     *
     * @throws StoreException if the store failed
     * @throws IllegalStateException if the answer is still on its way
     */
    T now();

    /**
     * Waits for the answer.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    T await(Duration timeout);

    /**
     * Calls back once with the answer or the failure, the other being null: at once in this thread when it is here,
     * later in the store's thread otherwise. The callback must not block.
     */
    void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback);

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
