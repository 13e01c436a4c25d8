package dev.weir.spring.web;

import dev.weir.Answer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An answer of a store as Reactor knows it. Only where Reactor is. */
public final class AnswerMono {
    private AnswerMono() {}

    /**
     * The answer: at once if it is complete, else on a thread of Reactor's. What follows may be a handler of the application:
     * on the thread that completed the answer it would hold up the store for every other request. The store was called
     * already, whether there is a subscriber or not.
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
