package dev.weir.example.hub;

import dev.weir.Answer;
import io.vertx.core.Context;
import java.util.function.Consumer;

/** Waits for answers of Weir without blocking the event loop. */
final class EventLoopAnswers {
    private EventLoopAnswers() {}

    /** Continues with an answer: at once if it is complete, as with the memory store; otherwise on the event loop. */
    static <T> void then(Context loop, Answer<T> answer, Consumer<Answer<T>> next) {
        if (answer.isDone()) {
            next.accept(answer);
        } else {
            answer.whenDone((value, failure) -> loop.runOnContext(hop -> next.accept(answer)));
        }
    }
}
