package dev.weir.store.cluster;

import dev.weir.ledger.StoreTime;
import dev.weir.spi.ClusterStatus;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.store.consensus.Consensus;
import dev.weir.store.consensus.ConsensusOptions;
import dev.weir.store.consensus.Entry;
import dev.weir.store.consensus.FormatRange;
import dev.weir.store.consensus.JRaftNode;
import dev.weir.store.consensus.LogClock;
import dev.weir.store.consensus.NodeStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One node of the cluster: the replicated state machine, the consensus that replicates it, and the store and settings
 * on top.
 *
 * <p>Only the consensus thread uses the state machine. Other threads see the settings and the counts that it publishes.
 */
final class ClusterNode implements Consensus.State, AutoCloseable {
    private static final Logger LOG = System.getLogger(ClusterNode.class.getName());
    private static final int LEAST_SWEPT = 1_000;
    private static final int SWEEPS_TO_SEE_ALL = 30;

    private final String name;
    private final Consensus consensus;
    private final ClusterStore store;
    private final ClusterSettings settings;
    private final ScheduledExecutorService sweeper;
    private final SettingsState settingsBook;
    private final FormatRange formats;
    /** Used by the consensus thread only, apart from its settings. */
    private ClusterState clusterState;

    private volatile BudgetCounts counts = BudgetCounts.NONE;
    private volatile int appliedFormat;

    /** The numbers of budgets, of sweeps, and of evicted budgets. */
    record BudgetCounts(long entries, long sweeps, long swept) {
        static final BudgetCounts NONE = new BudgetCounts(0, 0, 0);
    }

    private ClusterNode(ConsensusOptions options, SettingsFormat format) throws IOException {
        this.name = options.cluster();
        this.settingsBook = new SettingsState(format);
        this.formats = options.formats();
        this.clusterState = newState();
        this.consensus = new JRaftNode(options, this);
        this.store = new ClusterStore(new ConsensusLog(consensus), options.patience(), this);
        this.settings = new ClusterSettings(this, format);
        this.sweeper = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-cluster-sweep");
            thread.setDaemon(true);
            return thread;
        });
        try {
            consensus.start();
        } catch (IOException e) {
            halt();
            throw e;
        }
        var unused = sweeper.scheduleWithFixedDelay(this::sweep, 1, 1, TimeUnit.SECONDS);
    }

    /**
     * Starts a node. It serves as soon as it is connected to a majority; until then every call fails.
     *
     * @param data the directory of its log; null for a temporary one
     * @param format the encoding of settings, the same on every node
     * @throws IOException if the directory or the address cannot be used
     * @throws IllegalArgumentException if it would listen to other machines without TLS
     */
    static ClusterNode start(ClusterUri uri, @Nullable Path data, SettingsFormat format, LogClock.Clock clock)
            throws IOException {
        return start(uri, data, format, clock, ClusterState.FORMATS);
    }

    static ClusterNode start(
            ClusterUri uri, @Nullable Path data, SettingsFormat format, LogClock.Clock clock, FormatRange formats)
            throws IOException {
        InetSocketAddress bind = uri.safeBind();
        if (uri.tls() == null && bind.getAddress() != null && !bind.getAddress().isLoopbackAddress()) {
            LOG.log(
                    Level.WARNING,
                    "the cluster listens at {0} without TLS (insecure=true): whoever reaches it can change and stop"
                            + " everything",
                    bind);
        }
        ConsensusOptions options = new ConsensusOptions(
                uri.name(),
                uri.node(),
                uri.founders(),
                bind,
                uri.directory(),
                data,
                formats,
                uri.tls(),
                uri.sync(),
                uri.timing(),
                uri.patience(),
                clock);
        return new ClusterNode(options, format);
    }

    /** Writes batches in the newest format that all members can read. */
    private record ConsensusLog(Consensus consensus) implements BatchSubmitter.ReplicatedLog {
        @Override
        public CompletionStage<byte[]> submit(byte[] batch, boolean durable) {
            return consensus.submit(batch, durable);
        }

        @Override
        public int format() {
            return consensus.format();
        }
    }

    private ClusterState newState() {
        return new ClusterState(ClusterState.MOST_BUDGETS, settingsBook, formats);
    }

    ClusterStore store() {
        return store;
    }

    ClusterSettings clusterSettings() {
        return settings;
    }

    SettingsState settings() {
        return settingsBook;
    }

    NodeStatus status() {
        return consensus.status();
    }

    /** The state of all members as far as they answer. */
    ClusterStatus clusterStatus() {
        NodeStatus own = status();
        List<NodeStatus> answered =
                consensus.statusOfAll().toCompletableFuture().join();
        long committed =
                answered.stream().mapToLong(NodeStatus::committed).max().orElse(0);
        return new ClusterStatus(
                name,
                own.node(),
                own.leader(),
                own.term(),
                own.isReady(),
                own.problem(),
                own.members().stream()
                        .map(member -> new ClusterStatus.Member(
                                member,
                                answered.stream()
                                        .filter(status -> status.node().equals(member))
                                        .findFirst()
                                        .map(status -> state(status, committed))
                                        .orElse(null)))
                        .toList());
    }

    private static ClusterStatus.State state(NodeStatus status, long committed) {
        return new ClusterStatus.State(
                status.isReady(),
                status.problem(),
                status.term(),
                status.applied(),
                Math.max(0, committed - status.applied()),
                status.snapshot() == 0
                        ? null
                        : new ClusterStatus.Snapshot(status.snapshot(), Instant.ofEpochMilli(status.snapshotMillis())));
    }

    CompletionStage<Void> change(Consensus.MembershipChange change, String member) {
        return consensus.change(change, member);
    }

    /** The port at which the other nodes reach this one. */
    int port() {
        return consensus.port();
    }

    BudgetCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        sweeper.shutdown();
        consensus.close();
        settings.close();
    }

    /** Stops at once, like a crash. */
    void halt() {
        sweeper.shutdown();
        consensus.halt();
        settings.close();
    }

    private void sweep() {
        BudgetCounts present = counts;
        if (consensus.status().isLeader() && present.entries > 0) {
            var unused = store.sweep((int) Math.max(LEAST_SWEPT, present.entries / SWEEPS_TO_SEE_ALL));
        }
    }

    // ---- the node's thread --------------------------------------------------------------------------------------

    @Override
    public byte[] apply(Entry entry) {
        byte[] reply;
        try {
            reply = clusterState.apply(entry.body(), new StoreTime(entry.micros(), entry.wallMillis()));
        } catch (ClusterState.UnknownFormatException e) {
            // Other nodes can read it, so this one must stop.
            throw e;
        } catch (RuntimeException e) {
            // The same happens on every node, so their states stay equal. A node that stopped here would
            // stop again at every start, because the entry stays in the log.
            LOG.log(Level.ERROR, "an entry of the log makes no sense and was left out", e);
            reply = new byte[0];
        }
        appliedFormat = clusterState.format;
        publishCounts();
        if (entry.durable()) {
            settings.changed();
        }
        return reply;
    }

    @Override
    public Consensus.Encoder capture() {
        return ClusterStateSnapshot.capture(clusterState);
    }

    @Override
    public void restore(byte[] snapshot) {
        ClusterState restored = newState();
        ClusterStateSnapshot.read(snapshot, restored);
        clusterState = restored;
        appliedFormat = restored.format;
        publishCounts();
        if (settings != null) {
            settings.changed();
        }
    }

    @Override
    public boolean accepts(byte[] batch) {
        return batch.length > 0 && formats.contains(batch[0]);
    }

    @Override
    public int format() {
        return appliedFormat;
    }

    private void publishCounts() {
        BudgetCounts known = counts;
        if (known.entries != clusterState.budgets.size()
                || known.sweeps != clusterState.budgets.sweeps()
                || known.swept != clusterState.budgets.swept()) {
            counts = new BudgetCounts(
                    clusterState.budgets.size(), clusterState.budgets.sweeps(), clusterState.budgets.swept());
        }
    }
}
