package dev.weir.spring.web;

import dev.weir.Answer;
import reactor.core.publisher.Mono;

/** An answer of a store as Reactor knows it. Only where Reactor is. */
public final class AnswerMono {
    private AnswerMono() {}

    /** The answer: at once if it is here, else when it comes. It was asked for already, whether anybody subscribes. */
    public static <T> Mono<T> of(Answer<T> answer) {
        return answer.isDone()
                ? Mono.fromCallable(answer::now)
                : Mono.create(sink -> answer.whenDone((value, failure) -> {
                    if (failure != null) {
                        sink.error(failure);
                    } else {
                        sink.success(value);
                    }
                }));
    }
}
