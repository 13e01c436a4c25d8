package dev.weir.store.scripted;

import dev.weir.StoreException;
import dev.weir.remote.BatcherOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The connection to the backend that runs the script.
 *
 * <p>A call is sent at most once. A caller that receives no reply does not know whether the script ran. Implementations
 * are safe for use by several threads and do not block, except in {@link #close()}.
 */
public interface ScriptLink extends AutoCloseable {
    /** The backend's name for messages. */
    String name();

    /** The timeout of one call. */
    Duration timeout();

    /** Whether keys of different tags may be on different nodes, so that no call may name both. */
    boolean isPartitioned();

    /** How requests are batched into calls. */
    BatcherOptions batching();

    /**
     * Sends one call of the script.
     *
     * @param tag the tag of all keys, on a partitioned backend
     * @param keys the clock's key, then the keys that the requests name
     * @param arguments the encoded requests and, in a test, the time
     */
    CompletionStage<byte[]> decide(int tag, byte[][] keys, byte[][] arguments);

    /** Reads a note. Only partitioned backends have notes. */
    CompletionStage<Optional<byte[]>> note(KeyName name);

    /** Writes a note that expires after {@code ttlMillis}; completes when it is written. */
    CompletionStage<?> note(KeyName name, byte[] text, long ttlMillis);

    /** Extends the expiry of a note, if it exists; completes when the backend has confirmed. */
    CompletionStage<?> extendNote(KeyName name, long ttlMillis);

    /** Converts the failure of a call to an exception whose message contains no secret. */
    StoreException failed(Throwable failure);

    @Override
    void close();
}
