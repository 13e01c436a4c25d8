package dev.weir.remote;

/**
 * The weight of requests in a batch.
 *
 * @param <Q> the type of requests
 */
@FunctionalInterface
public interface Weigher<Q> {

    /** The request's share of {@link BatcherOptions#maxBatch}, at least 1. */
    int weight(Q request);

    /** Whether a request equals the previous one of its batch, so that it costs the backend next to nothing. */
    default boolean isRepeat(Q previous, Q request) {
        return false;
    }
}
