package dev.weir.store.scripted;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A settings document that many nodes share, replaced by compare-and-set on its version. */
public interface SettingsDocument {
    /** The backend's name for messages. */
    String name();

    /** The document's name in the backend. */
    String where();

    /** The interval at which a node polls for a version of which it was not notified. */
    Duration pollInterval();

    /** Returns the document, or empty if it has this version. A missing document has version 0 and no bytes. */
    CompletionStage<Optional<byte[]>> unless(long version);

    /**
     * Replaces the document if {@code base} is its current version; returns false if it is not.
     *
     * @param change the change, added to the list of the latest changes
     * @param mostChanges how many changes are kept
     */
    CompletionStage<Boolean> replace(long base, byte[] document, byte[] change, int mostChanges);

    /** The latest changes, newest first. */
    CompletionStage<List<byte[]>> changes(int count);

    /** Runs {@code changed} whenever there may be a version other than {@code known}. */
    Watcher watch(long known, Runnable changed);

    /** Converts the failure of a call to an exception whose message contains no secret. */
    StoreException failed(Throwable failure);

    /** A registration that watches the document until it is closed. */
    interface Watcher extends AutoCloseable {
        @Override
        void close();
    }
}
