package dev.weir.remote;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One call to a backend that carries many questions.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
@FunctionalInterface
public interface Trip<Q, A> {

    /**
     * Asks all of it at once. The questions are in the order in which they came and each is to be decided alone: one
     * that is refused, or cannot be decided, says so in its own answer.
     *
     * @param questions at least one; the trip may keep the list
     * @return one answer for each question, in their order; a failure is a failure of all of them. It must complete
     *     some day, so the backend needs a deadline of its own
     */
    CompletionStage<List<A>> make(List<Q> questions);
}
