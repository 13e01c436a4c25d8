package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.util.Objects;
import java.util.function.Function;

/** Goes on with an answer: at once if it is here, else when it comes. One code path for both. */
public final class Answers {
    private Answers() {}

    /** What {@code next} makes of the answer, or {@code otherwise} of the failure. Creates nothing if it is here. */
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

    /** What {@code next} makes of the answer; a failure stays one. */
    public static <T, R> Answer<R> then(Answer<T> answer, Function<T, Answer<R>> next) {
        return then(answer, next, Promise::failed);
    }

    /** What {@code change} makes of the answer; a failure stays one. */
    public static <T, R> Answer<R> map(Answer<T> answer, Function<T, R> change) {
        return then(answer, value -> Answer.of(change.apply(value)));
    }
}
