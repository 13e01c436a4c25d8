package dev.weir.remote;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One call of a backend with a batch of requests.
 *
 * @param <Q> the type of requests
 * @param <A> the type of results
 */
@FunctionalInterface
public interface BatchCall<Q, A> {

    /**
     * Sends a batch. The requests are in the order in which they were queued, and each is decided alone. A request that
     * is refused or cannot be decided has that as its own result.
     *
     * @param requests at least one; the call may keep the list
     * @return one result for each request, in their order; a failure fails all of them. It must complete eventually, so
     *     the backend needs a timeout of its own
     */
    CompletionStage<List<A>> execute(List<Q> requests);
}
