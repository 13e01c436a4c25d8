package dev.weir.store.scripted;

import dev.weir.StoreException;
import dev.weir.remote.CombinerOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The way to where the script runs.
 *
 * <p>A call is made once or not at all, and never repeated: whoever got no answer does not know whether it was made.
 */
public interface ScriptLink extends AutoCloseable {
    /** What is at the other end, as messages call it. */
    String name();

    /** How long one call may take. */
    Duration timeout();

    /** Whether keys of different tags may be in different places, so that no call may name both. */
    boolean isPartitioned();

    /** How questions travel together. */
    CombinerOptions combining();

    /**
     * Makes one call of the script.
     *
     * @param tag that of all keys, where they are in different places
     * @param keys the clock's, then those that the questions name
     * @param arguments the questions, and in a test its time
     */
    CompletionStage<byte[]> decide(int tag, byte[][] keys, byte[][] arguments);

    /** What was noted under a name, if anything is. Asked only of a partitioned backend, as are all notes. */
    CompletionStage<Optional<byte[]>> note(KeyName name);

    /** Notes something, for a while; ends when it is noted. */
    CompletionStage<?> note(KeyName name, byte[] text, long ttlMillis);

    /** Lets a note, if there is one, end later; ends when that is known. */
    CompletionStage<?> keepNote(KeyName name, long ttlMillis);

    /** What a call that failed means for who asked, in words that hold no secret. */
    StoreException failed(Throwable failure);

    @Override
    void close();
}
