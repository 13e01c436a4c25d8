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
 * Settings in the cluster's book: agreed upon like everything else, on the disks of a majority before they are
 * acknowledged, and told on every node when they are applied there.
 */
final class ClusterSettings extends KnownSettings {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final ClusterNode node;
    private final SettingsFormat format;
    private final ExecutorService teller;
    private final AtomicBoolean toTell = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    /** Signalled when settings were told. */
    private final Condition told = lock.newCondition();

    /** The version that every listener knows. */
    private volatile long toldVersion;

    ClusterSettings(ClusterNode node, SettingsFormat format) {
        super(node.settings().current());
        this.node = node;
        this.format = format;
        this.toldVersion = super.current().version();
        this.teller = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "weir-cluster-settings");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The book has, perhaps, other settings; called by the node's thread. */
    void changed() {
        if (node.settings().current().version() != toldVersion
                && toTell.compareAndSet(false, true)
                && !teller.isShutdown()) {
            teller.execute(this::tell);
        }
    }

    private void tell() {
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
        // Refused here if it is too much, before anybody else is troubled.
        SettingsSnapshot unused = current().with(change);
        long version;
        try {
            version = node.store()
                    .<Long>ask(Question.change(format.write(new AuditEntry(0, change))))
                    .await(LONGEST_WAIT);
        } catch (StoreException e) {
            throw new SettingsException("the change was not agreed upon: " + e.getMessage(), e);
        }
        return awaitTold(version);
    }

    /** The change is agreed upon; it is as good as made here, and soon is. */
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
        teller.shutdown();
    }
}
