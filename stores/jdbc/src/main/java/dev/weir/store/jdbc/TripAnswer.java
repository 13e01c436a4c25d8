package dev.weir.store.jdbc;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer of a trip, which may be what the caller did wrong, where only the database could find that out, or a failure of
 * this question alone.
 */
record TripAnswer<T>(Answer<T> answer) implements Answer<T> {

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public T now() {
        return checked(answer.now());
    }

    @Override
    public T await(Duration timeout) {
        return checked(answer.await(timeout));
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        answer.whenDone((value, failure) -> {
            if ((Object) value instanceof Question.Misuse misuse) {
                callback.accept(null, new StoreException(misuse.message(), false, blame(misuse)));
            } else if ((Object) value instanceof StoreException own) {
                callback.accept(null, own);
            } else {
                callback.accept(value, failure);
            }
        });
    }

    private T checked(T value) {
        if ((Object) value instanceof Question.Misuse misuse) {
            throw blame(misuse);
        }
        if ((Object) value instanceof StoreException own) {
            throw own;
        }
        return value;
    }

    private static IllegalArgumentException blame(Question.Misuse misuse) {
        return new IllegalArgumentException(misuse.message());
    }
}
