package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that may turn out to be misuse, or a failure of this call alone, only when the backend has answered.
 *
 * <p>Both are values of {@code answer}: an {@link IllegalArgumentException} or a {@link StoreException}. A caller that
 * waits has them thrown as they are. A callback is given a failure, of which misuse is the cause.
 *
 * @param answer gives a {@code T}, or such an exception; may also fail with misuse as the cause
 */
public record CheckedAnswer<T>(Answer<?> answer) implements Answer<T> {

    /** The failure that tells a callback of misuse. */
    public static StoreException failure(IllegalArgumentException misuse) {
        return new StoreException(String.valueOf(misuse.getMessage()), false, misuse);
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public T now() {
        return checked(answer::now);
    }

    @Override
    public T await(Duration timeout) {
        return checked(() -> answer.await(timeout));
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        answer.whenDone((value, failure) -> {
            if (value instanceof IllegalArgumentException misuse) {
                callback.accept(null, failure(misuse));
            } else if (value instanceof StoreException own) {
                callback.accept(null, own);
            } else {
                callback.accept(value == null ? null : typed(value), failure);
            }
        });
    }

    private T checked(Supplier<?> wait) {
        Object value;
        try {
            value = wait.get();
        } catch (StoreException e) {
            throw e.getCause() instanceof IllegalArgumentException misuse ? misuse : e;
        }
        if (value instanceof RuntimeException own) {
            throw own;
        }
        return typed(value);
    }

    @SuppressWarnings("unchecked") // What is no exception is what the call answers.
    private T typed(Object value) {
        return (T) value;
    }
}
