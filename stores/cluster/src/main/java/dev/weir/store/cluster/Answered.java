package dev.weir.store.cluster;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the book, which may be that there is none: misuse is thrown as such, as by every store.
 *
 * @param <T> what is answered
 */
final class Answered<T> implements Answer<T> {
    private final Answer<Object> answer;

    Answered(Answer<Object> answer) {
        this.answer = answer;
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public T now() {
        return value(answer.now());
    }

    @Override
    public T await(Duration timeout) {
        return value(answer.await(timeout));
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        answer.whenDone((value, failure) -> {
            if (failure != null) {
                callback.accept(null, failure);
            } else if (value instanceof StoreException full) {
                callback.accept(null, full);
            } else if (value instanceof IllegalArgumentException misuse) {
                callback.accept(null, new StoreException(String.valueOf(misuse.getMessage()), false, misuse));
            } else if (value != null) {
                callback.accept(value(value), null);
            }
        });
    }

    /** The caller knows what its question is answered with. */
    @SuppressWarnings("unchecked")
    private T value(Object value) {
        if (value instanceof RuntimeException failure) {
            throw failure;
        }
        return (T) value;
    }
}
