package dev.weir.store.cluster;

import dev.weir.StoreException;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Settings in the replicated state. A change is on the disks of a majority before it is acknowledged. Every node
 * publishes it to its listeners after it has applied it.
 *
 * <p>Safe for use by several threads. One thread publishes, so listeners see versions in order.
 */
final class ClusterSettings extends KnownSettings {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final ClusterNode node;
    private final SettingsFormat format;
    private final ExecutorService notifier;
    private final AtomicBoolean toTell = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    /** Signalled after a version was published. */
    private final Condition told = lock.newCondition();

    /** The version last published to all listeners. */
    private volatile long toldVersion;

    ClusterSettings(ClusterNode node, SettingsFormat format) {
        super(node.settings().current());
        this.node = node;
        this.format = format;
        this.toldVersion = super.current().version();
        this.notifier = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "weir-cluster-settings");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Schedules a publication if the settings have changed. Called by the consensus thread; does not block. */
    void changed() {
        if (node.settings().current().version() != toldVersion
                && toTell.compareAndSet(false, true)
                && !notifier.isShutdown()) {
            notifier.execute(this::notifyListeners);
        }
    }

    private void notifyListeners() {
        toTell.set(false);
        SettingsSnapshot latest = node.settings().current();
        if (latest.version() == toldVersion) {
            return;
        }
        publish(latest);
        lock.lock();
        try {
            toldVersion = latest.version();
            told.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SettingsSnapshot current() {
        return node.settings().current();
    }

    @Override
    public SettingsSnapshot apply(SettingsChange change) {
        // Throws here if the settings would become too large, before the change is submitted.
        SettingsSnapshot unused = current().with(change);
        long version;
        try {
            version = node.store()
                    .<Long>ask(ClusterRequest.change(format.write(new AuditEntry(0, change))))
                    .await(LONGEST_WAIT);
        } catch (StoreException e) {
            throw new SettingsException("the change was not agreed upon: " + e.getMessage(), e);
        }
        return awaitTold(version);
    }

    /** Waits until this node has published the committed version, for ten seconds at most. */
    private SettingsSnapshot awaitTold(long version) {
        long nanos = LONGEST_WAIT.toNanos();
        lock.lock();
        try {
            while (toldVersion < version && nanos > 0) {
                nanos = told.awaitNanos(nanos);
            }
            if (toldVersion < version) {
                throw new SettingsException(
                        "the change was agreed upon, and this node has not learned of it yet; it will");
            }
            return super.current();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SettingsException("interrupted; the change was agreed upon", e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<AuditEntry> audit(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + "; it must be at least 0");
        }
        List<AuditEntry> all = node.settings().audit();
        return List.copyOf(all.subList(0, Math.min(count, all.size())));
    }

    @Override
    public void close() {
        super.close();
        notifier.shutdown();
    }
}
