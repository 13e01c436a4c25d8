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

    /** Whether a request costs the backend next to nothing in one batch with another, because both are the same. */
    default boolean isLightBeside(Q other, Q request) {
        return false;
    }
}
