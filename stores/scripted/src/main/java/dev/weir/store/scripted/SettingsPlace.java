package dev.weir.store.scripted;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where settings are kept that many nodes share: one document that is replaced only by who knows the present one. */
public interface SettingsPlace {
    /** Whose they are, as messages call it. */
    String name();

    /** What the document is called there. */
    String where();

    /** How often a node looks for a new version that it did not hear of. */
    Duration looksEvery();

    /** The document, unless its version is this one. Where there is none, that is version 0 and empty. */
    CompletionStage<Optional<byte[]>> unless(long version);

    /**
     * Makes a change, if {@code base} is the present version; false if it is not.
     *
     * @param change to be kept among the latest
     * @param mostChanges how many of those are kept
     */
    CompletionStage<Boolean> replace(long base, byte[] document, byte[] change, int mostChanges);

    /** The latest changes, newest first. */
    CompletionStage<List<byte[]>> changes(int count);

    /** Has {@code changed} run whenever there may be another version than the one known. */
    Watch watch(long known, Runnable changed);

    /** What a call that failed means, in words that hold no secret. */
    StoreException failed(Throwable failure);

    /** Somebody who watches. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
