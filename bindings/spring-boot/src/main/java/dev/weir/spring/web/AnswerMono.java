package dev.weir.spring.web;

import dev.weir.Answer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Converts an answer of a store to a {@code Mono}. Requires Reactor. */
public final class AnswerMono {
    private AnswerMono() {}

    /**
     * Returns the answer: at once if it is complete, otherwise on a thread of Reactor. The next operator may be a
     * handler of the application. On the thread that completed the answer, it would delay the store for every other
     * request. The store was called already, whether there is a subscriber or not.
     */
    public static <T> Mono<T> of(Answer<T> answer) {
        return answer.isDone()
                ? Mono.fromCallable(answer::now)
                : Mono.<T>create(sink -> answer.whenDone((value, failure) -> {
                            if (failure != null) {
                                sink.error(failure);
                            } else {
                                sink.success(value);
                            }
                        }))
                        .publishOn(Schedulers.parallel());
    }
}
