package dev.weir.spi.idempotency;

import dev.weir.Answer;
import dev.weir.Key;
import java.time.Duration;

/**
 * Remembers what was answered to a request with an idempotency key, so that a repeated one is not done twice.
 *
 * <p>Whoever begins with a key first does the work; others learn that it is being done, and then what came of it. Safe
 * for use by any number of threads and, with a shared store, of nodes. A failed backend completes the answer with a
 * {@link dev.weir.StoreException}.
 */
public interface ResponseStore extends AutoCloseable {

    /** The largest digest of a request, in bytes. */
    int LARGEST_DIGEST = 64;

    /** The longest time for which anything is remembered. */
    Duration LONGEST_TTL = Duration.ofDays(30);

    /** The largest response that is remembered, in bytes. */
    int LARGEST_RESPONSE = 1 << 20;

    /**
     * Begins a request, or tells what is known of it, in one indivisible step.
     *
     * @param key who asks and the idempotency key, so that one client's key does not meet another's
     * @param request a digest of what is asked for, by which a key that is used for something else is noticed; at most
     *     {@link #LARGEST_DIGEST} bytes
     * @param patience how long the work may take: after that the key is free again, as whoever began may have died
     */
    Answer<Beginning> begin(Key key, byte[] request, Duration patience);

    /**
     * Remembers the response for {@code ttl}; answers false, and changes nothing, if the work took longer than it had
     * time for and another began meanwhile.
     *
     * @param token of {@link Beginning.Begun}
     */
    Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl);

    /** Frees the key because the work came to nothing that should be repeated; harmless when it is not held any more. */
    Answer<Boolean> abandon(Key key, String token);

    @Override
    void close();
}
