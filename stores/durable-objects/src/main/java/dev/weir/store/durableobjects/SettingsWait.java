package dev.weir.store.durableobjects;

import dev.weir.store.scripted.SettingsPlace;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks again and again for settings of another version; the object holds its answer until there are some.
 *
 * <p>It goes by the version that the object told last, not by the one that could be read: a document that is damaged is
 * heard of once.
 */
final class SettingsWait implements SettingsPlace.Watch {
    private static final int WAIT_SECONDS = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(WAIT_SECONDS + 5);
    private static final int MOST_BYTES = 17 << 20;

    private static final long PAUSE_MILLIS = 50;

    /** After an answer that came at once and said nothing: whoever does not wait is not asked all the time. */
    private static final long PAUSE_AFTER_NOTHING_MILLIS = 1_000;

    private final Worker worker;
    private final String path;
    private final Runnable changed;
    private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> underWay;
    private volatile boolean closed;

    SettingsWait(Worker worker, String path, Runnable changed) {
        this.worker = worker;
        this.path = path;
        this.changed = changed;
    }

    void after(long known) {
        if (closed) {
            return;
        }
        CompletableFuture<HttpResponse<byte[]>> asked =
                worker.get(path + "?after=" + known + "&wait=" + WAIT_SECONDS, PATIENCE, MOST_BYTES);
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
