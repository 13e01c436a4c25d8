package dev.weir.store.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.LeaderChangeContext;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Connects {@link Consensus.State} to JRaft.
 *
 * <p>The leader writes its {@linkplain LogClock time} into each entry. A snapshot is captured by the thread that applies
 * entries, and encoded and written by another while applying continues.
 */
final class JRaftStateMachine extends StateMachineAdapter {
    private static final Logger LOG = System.getLogger(JRaftStateMachine.class.getName());
    private static final String FILE = "state";
    private static final long LEAST_LOG_BYTES = 16L << 20;
    private static final long MOST_LOG_BYTES = 64L << 20;
    private static final int LOG_PER_SNAPSHOT = 4;
    private static final int ENTRY_OVERHEAD = 48;

    private final Consensus.State state;
    private final ConsensusOptions options;
    private final NodeDirectory directory;
    private final Executor executor;
    private final Runnable takeSnapshot;
    private final LogClock clock;
    private long lastMicros;
    private long logBytes;
    private volatile long snapshotBytes;
    private volatile boolean isTakingSnapshot;
    /** The last index of the log at the start: later entries tell the time. */
    private volatile long indexAtStart = Long.MAX_VALUE;

    private volatile boolean isTimeKnown;
    private volatile long applied;
    private volatile long snapshotIndex;
    private volatile long snapshotMillis;
    private volatile long term;
    private volatile boolean hasLeader;
    private volatile boolean leads;
    private volatile long leaderlessSince = System.nanoTime();
    private volatile @Nullable String failure;
    private volatile List<String> members = List.of();

    /** Waits for one entry. */
    static final class Pending implements Closure {
        final CompletableFuture<byte[]> reply = new CompletableFuture<>();
        private byte @Nullable [] result;

        @Override
        public void run(Status status) {
            if (status.isOk() && result != null) {
                reply.complete(result);
            } else {
                reply.completeExceptionally(new IOException(status.toString()));
            }
        }
    }

    JRaftStateMachine(
            Consensus.State state,
            ConsensusOptions options,
            NodeDirectory directory,
            Executor executor,
            Runnable takeSnapshot) {
        this.state = state;
        this.options = options;
        this.directory = directory;
        this.executor = executor;
        this.takeSnapshot = takeSnapshot;
        this.clock = new LogClock(options.clock());
    }

    void started(long lastIndex) {
        indexAtStart = lastIndex;
    }

    long applied() {
        return applied;
    }

    long snapshotIndex() {
        return snapshotIndex;
    }

    /** When the latest snapshot was written or received. */
    long snapshotMillis() {
        return snapshotMillis;
    }

    long term() {
        return term;
    }

    List<String> members() {
        return members;
    }

    /** Why this node has stopped taking part; null if it has not. */
    @Nullable
    String failure() {
        return failure;
    }

    /** How long this node has known no leader; 0 if it knows one. */
    long leaderlessNanos() {
        return hasLeader ? 0 : System.nanoTime() - leaderlessSince;
    }

    /** Whether this node leads and has applied all earlier entries; before that it does not know the time. */
    boolean leads() {
        return leads;
    }

    // ---- time ----------------------------------------------------------------------------------------------------

    /** What goes into the log. The flag comes first, where {@link FileLogStorage} finds it. */
    ByteBuffer stamped(byte[] body, boolean durable) {
        BytesOut out = new BytesOut(body.length + 28);
        out.flag(durable);
        out.number(now());
        out.number(options.clock().epochMillis());
        out.bytes(body);
        return ByteBuffer.wrap(out.toBytes());
    }

    static boolean isDurable(@Nullable ByteBuffer data) {
        return data != null && data.hasRemaining() && data.get(data.position()) != 0;
    }

    private synchronized long now() {
        return clock.micros();
    }

    private synchronized void advanceTo(long micros) {
        if (clock.micros() < micros) {
            clock.set(micros);
        }
    }

    /** Records the time, for a start of all nodes after a stop of all. */
    void recordTime() {
        long micros = now();
        if (isTimeKnown && micros >= 0) {
            try {
                directory.writeTime(micros, options.clock().epochMillis());
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "the time was not recorded", e);
            }
        }
    }

    // ---- called by JRaft -------------------------------------------------------------------------------------------

    /** All earlier entries are applied by now. */
    @Override
    public void onLeaderStart(long newTerm) {
        long wallMillis = options.clock().epochMillis();
        if (!isTimeKnown) {
            advanceTo(directory.readTime(wallMillis));
        }
        if (now() < 0) {
            advanceTo(wallMillis * 1_000);
        }
        isTimeKnown = true;
        term = newTerm;
        hasLeader = true;
        leads = true;
        LOG.log(Level.INFO, "this node leads in term {0}", newTerm);
    }

    @Override
    public void onLeaderStop(Status status) {
        leads = false;
        leaderlessSince = System.nanoTime();
        hasLeader = false;
    }

    @Override
    public void onStartFollowing(LeaderChangeContext context) {
        term = context.getTerm();
        hasLeader = true;
        LOG.log(Level.INFO, "{0} leads in term {1}", context.getLeaderId(), context.getTerm());
    }

    @Override
    public void onStopFollowing(LeaderChangeContext context) {
        leaderlessSince = System.nanoTime();
        hasLeader = false;
    }

    @Override
    public void onConfigurationCommitted(Configuration configuration) {
        members = names(configuration.getPeers());
    }

    static List<String> names(List<PeerId> peers) {
        return peers.stream()
                .map(peer -> JRaftRpc.name(peer.getEndpoint()))
                .sorted()
                .toList();
    }

    @Override
    public void onError(RaftException e) {
        leads = false;
        hasLeader = false;
        leaderlessSince = System.nanoTime();
        failure = "this node has stopped taking part, because " + e.getStatus().getErrorMsg()
                + "; mend the cause, such as a full disk, and restart it";
        LOG.log(Level.ERROR, failure, e);
    }

    @Override
    public void onApply(Iterator entries) {
        while (entries.hasNext()) {
            try {
                apply(entries);
            } catch (RuntimeException | Error e) {
                // JRaft 1.3 would stall without a word (sofa-jraft#1246).
                LOG.log(Level.ERROR, "an entry could not be applied", e);
                entries.setErrorAndRollback(
                        1, new Status(RaftError.ESTATEMACHINE, "an entry could not be applied: " + e));
                return;
            }
            entries.next();
        }
        long most = Math.max(LEAST_LOG_BYTES, Math.min(MOST_LOG_BYTES, LOG_PER_SNAPSHOT * snapshotBytes));
        if (!isTakingSnapshot && logBytes > most) {
            isTakingSnapshot = true;
            executor.execute(takeSnapshot);
        }
    }

    private void apply(Iterator entries) {
        ByteBuffer data = entries.getData();
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        BytesIn in = new BytesIn(bytes);
        boolean durable = in.flag();
        lastMicros = Math.max(lastMicros, in.number());
        advanceTo(lastMicros);
        isTimeKnown |= entries.getIndex() > indexAtStart;
        long wallMillis = in.number();
        byte[] reply = state.apply(new Entry(entries.getIndex(), lastMicros, wallMillis, durable, in.bytes()));
        applied = entries.getIndex();
        logBytes += bytes.length + ENTRY_OVERHEAD;
        if (entries.done() instanceof Pending pending) {
            pending.result = reply;
            pending.run(Status.OK());
        }
    }

    @Override
    public void onSnapshotSave(SnapshotWriter writer, Closure done) {
        Consensus.Encoder captured = state.capture();
        long micros = lastMicros;
        long index = applied;
        logBytes = 0;
        executor.execute(() -> {
            Status status;
            try {
                snapshotBytes = NodeDirectory.writeSnapshot(Path.of(writer.getPath(), FILE), micros, captured);
                status = writer.addFile(FILE) ? Status.OK() : new Status(RaftError.EIO, "the snapshot was not added");
                snapshotMillis = options.clock().epochMillis();
                snapshotIndex = index;
            } catch (IOException | RuntimeException | Error e) {
                LOG.log(Level.ERROR, "a snapshot could not be written", e);
                status = new Status(RaftError.EIO, "a snapshot could not be written: " + e);
            }
            isTakingSnapshot = false;
            done.run(status);
        });
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        try {
            Path file = Path.of(reader.getPath(), FILE);
            BytesIn in = new BytesIn(Files.readAllBytes(file));
            long micros = in.number();
            byte[] bytes = in.bytes();
            in.end();
            state.restore(bytes);
            lastMicros = micros;
            advanceTo(micros);
            snapshotBytes = bytes.length;
            logBytes = 0;
            SnapshotMeta meta = reader.load();
            applied = meta.getLastIncludedIndex();
            snapshotMillis = Files.getLastModifiedTime(file).toMillis();
            snapshotIndex = applied;
            members = meta.getPeersList().stream()
                    .map(peer -> JRaftRpc.name(PeerId.parsePeer(peer).getEndpoint()))
                    .sorted()
                    .toList();
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "a snapshot cannot be read", e);
            return false;
        }
    }
}
