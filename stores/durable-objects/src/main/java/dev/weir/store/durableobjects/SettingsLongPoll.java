package dev.weir.store.durableobjects;

import dev.weir.store.scripted.SettingsDocument;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Long polling for a new version of the settings: the object delays its response until there is one.
 *
 * <p>Polls with the version that the object returned last, even if that document could not be read. A damaged document
 * is therefore reported once. Only one request is in flight. {@link #close()} cancels it.
 */
final class SettingsLongPoll implements SettingsDocument.Watcher {
    private static final int WAIT_SECONDS = 25;
    private static final Duration LONG_POLL_TIMEOUT = Duration.ofSeconds(WAIT_SECONDS + 5);
    private static final int MOST_BYTES = 17 << 20;

    private static final long PAUSE_MILLIS = 50;

    /**
     * Pause after a failure, or after a response without a change that came at once, so that polling cannot become a
     * busy loop.
     */
    private static final long PAUSE_AFTER_NOTHING_MILLIS = 1_000;

    private final WorkerClient worker;
    private final String path;
    private final Runnable changed;
    private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> underWay;
    private volatile boolean closed;

    SettingsLongPoll(WorkerClient worker, String path, Runnable changed) {
        this.worker = worker;
        this.path = path;
        this.changed = changed;
    }

    void after(long known) {
        if (closed) {
            return;
        }
        CompletableFuture<HttpResponse<byte[]>> asked =
                worker.get(path + "?after=" + known + "&wait=" + WAIT_SECONDS, LONG_POLL_TIMEOUT, MOST_BYTES);
        long begun = System.nanoTime();
        underWay = asked;
        if (closed) {
            asked.cancel(true);
        }
        var unused = asked.thenApply(SettingsObject::version).whenComplete((version, failure) -> {
            boolean isNew = failure == null && version != known;
            if (isNew) {
                changed.run();
            }
            boolean waited = failure == null && System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(1);
            again(failure == null ? version : known, isNew || waited ? PAUSE_MILLIS : PAUSE_AFTER_NOTHING_MILLIS);
        });
    }

    private void again(long known, long millis) {
        if (!closed) {
            CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(() -> after(known));
        }
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<HttpResponse<byte[]>> asked = underWay;
        if (asked != null) {
            asked.cancel(true);
        }
    }
}
