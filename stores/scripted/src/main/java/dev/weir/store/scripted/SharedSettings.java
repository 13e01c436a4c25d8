package dev.weir.store.scripted;

import dev.weir.StoreException;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Settings that all nodes share, stored beside the counts: one document, its version, and the latest changes.
 *
 * <p>A change is a compare-and-set on the version. If another node changed the settings first, the change is applied to
 * the new document and retried. Every node is notified of a new version and also polls every few seconds, so a lost
 * notification only delays a change. A document that cannot be read never replaces a readable one.
 *
 * <p>Safe for use by several threads. One worker thread publishes all versions, so listeners see them in order.
 */
public final class SharedSettings extends KnownSettings {
    /** How many changes are kept. */
    public static final int MOST_CHANGES = 1_000;

    /** How often a change is retried after other nodes' changes before it fails. */
    private static final int MOST_ATTEMPTS = 50;

    private static final int MOST_BYTES = 16 << 20;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    private static final String WORKER = "weir-shared-settings";
    private static final Logger LOG = System.getLogger(SharedSettings.class.getName());

    private final SettingsDocument place;
    private final SettingsFormat format;
    /** The only thread that publishes, so that listeners see versions in order. */
    private final ScheduledExecutorService worker;

    private final SettingsDocument.Watcher watch;
    private volatile boolean closed;

    /**
     * Reads the settings and listens for changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if the backend does not respond
     */
    public SharedSettings(SettingsDocument place, SettingsFormat format) {
        super(SettingsSnapshot.empty());
        this.place = place;
        this.format = format;
        publish(read());
        this.worker = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, WORKER);
            thread.setDaemon(true);
            return thread;
        });
        long every = place.pollInterval().toMillis();
        var unused = worker.scheduleWithFixedDelay(this::refresh, every, every, TimeUnit.MILLISECONDS);
        this.watch = place.watch(current().version(), this::look);
    }

    @Override
    public SettingsSnapshot apply(SettingsChange change) {
        if (closed) {
            throw new IllegalStateException("the settings are closed");
        }
        if (Thread.currentThread().getName().equals(WORKER)) {
            throw new IllegalStateException("a listener of settings must not change settings");
        }
        SettingsSnapshot base = current();
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            SettingsSnapshot next = base.with(change);
            if (write(base, next, change)) {
                publishAndWait(next);
                return next;
            }
            base = readNow();
        }
        throw new SettingsException(
                "the settings in " + place.name() + " are being changed by others all the time; try again");
    }

    private boolean write(SettingsSnapshot base, SettingsSnapshot next, SettingsChange change) {
        byte[] text = format.write(next);
        if (text.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "settings would have " + text.length + " bytes; at most " + MOST_BYTES + " are kept");
        }
        try {
            return await(place.replace(
                    base.version(), text, format.write(new AuditEntry(next.version(), change)), MOST_CHANGES));
        } catch (StoreException e) {
            throw new SettingsException(
                    "the change could not be written (" + e.getMessage()
                            + "); look at the settings before trying again, as it may have been made",
                    e);
        }
    }

    @Override
    public List<AuditEntry> audit(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + "; it must be at least 0");
        }
        if (count == 0) {
            return List.of();
        }
        List<AuditEntry> entries = new ArrayList<>();
        for (byte[] line : await(place.changes(Math.min(count, MOST_CHANGES)))) {
            entries.add(format.readEntry(line));
        }
        return List.copyOf(entries);
    }

    @Override
    public void close() {
        closed = true;
        super.close();
        worker.shutdownNow();
        watch.close();
    }

    /** Schedules a refresh on the worker thread. */
    private void look() {
        try {
            worker.execute(this::refresh);
        } catch (RejectedExecutionException e) {
            // Closed: there are no listeners any more.
        }
    }

    private void refresh() {
        try {
            await(place.unless(current().version())).ifPresent(text -> publish(decoded(text)));
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.log(
                        Level.WARNING,
                        "the settings in {0} cannot be read; those known before stay: {1}",
                        place.name(),
                        e.getMessage());
            }
        }
    }

    private SettingsSnapshot readNow() {
        SettingsSnapshot read = read();
        publishAndWait(read);
        return read;
    }

    /** Publishes a snapshot on the worker thread and waits until all listeners have run, for five seconds at most. */
    private void publishAndWait(SettingsSnapshot snapshot) {
        try {
            worker.submit(() -> publishIfNewer(snapshot)).get(REQUEST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException
                | java.util.concurrent.TimeoutException
                | RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "the change is made and will be announced", e);
        }
    }

    /** Publishes unless a newer version is already known, such as another node's change after this node's. */
    private void publishIfNewer(SettingsSnapshot snapshot) {
        if (snapshot.version() > current().version()) {
            publish(snapshot);
        }
    }

    private SettingsSnapshot read() {
        return await(place.unless(0)).map(this::decoded).orElse(SettingsSnapshot.empty());
    }

    private SettingsSnapshot decoded(byte[] text) {
        if (text.length == 0) {
            return SettingsSnapshot.empty();
        }
        try {
            return format.readSnapshot(text);
        } catch (SettingsException e) {
            throw new SettingsException(
                    "the settings in " + place.name() + ", under " + place.where() + ", " + e.getMessage(), e);
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(REQUEST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            throw place.failed(e);
        }
    }
}
