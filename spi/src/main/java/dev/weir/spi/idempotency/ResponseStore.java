package dev.weir.spi.idempotency;

import dev.weir.Answer;
import dev.weir.Key;
import java.time.Duration;

/**
 * Keeps the responses to requests with an idempotency key, so that a repeated request is not executed twice.
 *
 * <p>The first caller with a key executes the request. Others learn that it is in flight, and later get its response.
 * Safe for use by any number of threads and, with a shared store, of nodes. A failed backend completes the answer with
 * a {@link dev.weir.StoreException}.
 */
public interface ResponseStore extends AutoCloseable {

    /** The largest digest of a request, in bytes. */
    int LARGEST_DIGEST = 64;

    /** The longest time for which a response is kept. */
    Duration LONGEST_TTL = Duration.ofDays(30);

    /** The largest response that is kept, in bytes. */
    int LARGEST_RESPONSE = 1 << 20;

    /**
     * Begins a request, or returns its status, in one atomic step.
     *
     * @param key the client and the idempotency key, so that the keys of two clients do not collide
     * @param request a digest of the request, which detects that a key is used for another one; at most {@link
     *     #LARGEST_DIGEST} bytes
     * @param processingTimeout how long the execution may take. After that the key is free again, because the process that began
     *     may have failed
     */
    Answer<BeginResult> begin(Key key, byte[] request, Duration processingTimeout);

    /**
     * Keeps the response for {@code ttl}. Returns false and changes nothing if the execution exceeded its time and
     * another caller began meanwhile.
     *
     * @param token of {@link BeginResult.Begun}
     */
    Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl);

    /** Frees the key because the execution has no result to repeat; harmless when the key is no longer held. */
    Answer<Boolean> abandon(Key key, String token);

    @Override
    void close();
}
