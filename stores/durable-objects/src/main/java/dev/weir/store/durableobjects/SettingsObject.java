package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.store.scripted.SettingsDocument;
import dev.weir.store.scripted.SharedSettings;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The Durable Object with the settings of one prefix. Nodes learn of changes by long polling: the object responds when
 * there is a new version.
 */
final class SettingsObject implements SettingsDocument {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    private static final int MOST_BYTES = 17 << 20;

    private final WorkerClient worker;
    private final String path;

    SettingsObject(WorkerClient worker, String prefix) {
        this.worker = worker;
        // A prefix contains no characters that a path must escape.
        this.path = "/v1/settings/" + prefix;
    }

    /**
     * Reads the settings and listens for changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if the worker does not respond
     */
    static Settings open(DurableObjectsStore store, SettingsFormat format) {
        return new SharedSettings(
                new SettingsObject(store.worker(), store.options().prefix()), format);
    }

    @Override
    public String name() {
        return worker.name();
    }

    @Override
    public String where() {
        return path;
    }

    /** Long, because every poll is a billed request and {@link SettingsLongPoll} reports most changes. */
    @Override
    public Duration pollInterval() {
        return Duration.ofSeconds(30);
    }

    @Override
    public CompletionStage<Optional<byte[]>> unless(long version) {
        return worker.get(path + "?after=" + version, REQUEST_TIMEOUT, MOST_BYTES)
                .thenApply(response -> response.statusCode() == 204 ? Optional.empty() : Optional.of(response.body()));
    }

    @Override
    public CompletionStage<Boolean> replace(long base, byte[] document, byte[] change, int mostChanges) {
        byte[] body = new WorkerPayload().framed(document).framed(change).bytes();
        return worker.put(path, base, body, REQUEST_TIMEOUT).thenApply(response -> response.statusCode() == 204);
    }

    @Override
    public CompletionStage<List<byte[]>> changes(int count) {
        return worker.get(path + "/changes?count=" + count, REQUEST_TIMEOUT, MOST_BYTES)
                .thenApply(response -> WorkerPayload.parts(response.body()));
    }

    @Override
    public Watcher watch(long known, Runnable changed) {
        SettingsLongPoll wait = new SettingsLongPoll(worker, path, changed);
        wait.after(known);
        return wait;
    }

    @Override
    public StoreException failed(Throwable failure) {
        return worker.failed(failure);
    }

    /**
     * The version in a response's header.
     *
     * @throws StoreException if there is none
     */
    static long version(HttpResponse<byte[]> response) {
        String text = response.headers().firstValue("Weir-Version").orElse("");
        if (!text.matches("\\d{1,15}")) {
            throw new StoreException("the settings' answer has no version", false, null);
        }
        return Long.parseLong(text);
    }
}
