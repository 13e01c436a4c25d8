package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Continues with the result of an answer: at once if it is complete, else when it completes. One code path for both.
 */
public final class Answers {
    private Answers() {}

    /** Returns the answer of a call. A call that throws, for example on a closed store, gets a failed one. */
    public static <T> Answer<T> of(Supplier<Answer<T>> call) {
        try {
            return call.get();
        } catch (StoreException e) {
            return Promise.failed(e);
        } catch (RuntimeException e) {
            return Promise.failed(new StoreException(String.valueOf(e.getMessage()), false, e));
        }
    }

    /**
     * Returns the answer of {@code next} for a value, or of {@code otherwise} for a failure. Allocates nothing if the
     * answer is complete.
     */
    public static <T, R> Answer<R> then(
            Answer<T> answer, Function<T, Answer<R>> next, Function<StoreException, Answer<R>> otherwise) {
        if (answer.isDone()) {
            T value;
            try {
                value = answer.now();
            } catch (StoreException e) {
                return otherwise.apply(e);
            } catch (IllegalArgumentException misuse) {
                return otherwise.apply(new StoreException(String.valueOf(misuse.getMessage()), false, misuse));
            }
            return next.apply(value);
        }
        Promise<R> promise = new Promise<>(answer);
        answer.whenDone((value, failure) -> {
            try {
                Answer<R> further =
                        failure == null ? next.apply(Objects.requireNonNull(value)) : otherwise.apply(failure);
                promise.follow(further);
            } catch (RuntimeException e) {
                promise.fail(new StoreException("the answer could not be used", false, e));
            }
        });
        return promise;
    }

    /** Returns the answer of {@code next} for a value; a failure is passed on. */
    public static <T, R> Answer<R> then(Answer<T> answer, Function<T, Answer<R>> next) {
        return then(answer, next, Promise::failed);
    }

    /** Applies {@code change} to a value; a failure is passed on. */
    public static <T, R> Answer<R> map(Answer<T> answer, Function<T, R> change) {
        return then(answer, value -> Answer.of(change.apply(value)));
    }
}
