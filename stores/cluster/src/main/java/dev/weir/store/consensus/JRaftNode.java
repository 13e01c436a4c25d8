package dev.weir.store.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.RaftServiceFactory;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.DefaultJRaftServiceFactory;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.rpc.RaftRpcServerFactory;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.impl.LocalRaftMetaStorage;
import com.alipay.sofa.jraft.util.Describer;
import dev.weir.StoreException;
import dev.weir.store.consensus.NodeDirectory.PromiseState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node of SOFAJRaft: elections, replication, snapshots and membership changes are JRaft's.
 *
 * <p><b>Start.</b> A node that remembers its promises starts at once. One that does not must not count: together with a
 * node that is behind it would form a majority that has never seen acknowledged entries. It asks the others:
 *
 * <ul>
 *   <li>If all founders remember nothing, or after a grace period a majority, they found the cluster. Each records that
 *       before it votes.
 *   <li>If all founders run without {@code sync} and their machines crashed, they go on with what they have.
 *   <li>Otherwise the leader removes the node from the members, the node starts empty, and the leader adds it again,
 *       which JRaft completes after the node has caught up.
 * </ul>
 *
 * <p><b>Submissions</b> go to the leader and are repeated until their deadline, so that one may be in the log twice.
 */
public final class JRaftNode implements Consensus {
    private static final Logger LOG = System.getLogger(JRaftNode.class.getName());

    // Kinds of requests, beside JRaft's.
    private static final int SUBMIT = 10;
    private static final int HELLO = 11;
    /** Asks the leader to remove the node that sends it, which has lost its memory, and later to add it again. */
    private static final int LEAVE = 12;

    private static final int RETURN = 13;
    private static final int CHANGE = 14;
    private static final int STATUS = 15;

    // Replies to HELLO.
    private static final byte EMPTY = 0;
    private static final byte MEMBER = 1;
    private static final byte OTHER_FOUNDERS = 2;
    private static final byte UNCERTAIN = 3;

    /** A larger entry would not fit into a frame, and the log would end there for the other nodes. */
    private static final int MOST_SUBMITTED_BYTES = PeerConnection.LARGEST_FRAME / 2;

    private static final String NO_MEMBER = " is no member of the cluster";
    private static final long RETRY_MILLIS = 3;
    private static final long BUSY_MILLIS = 50;
    private static final long CHANGE_MILLIS = 20_000;
    private static final long STATUS_MILLIS = 1_000;
    private static final long END_SECONDS = 10;
    private static final long STALL_LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final AtomicInteger GROUPS = new AtomicInteger();
    /** JRaft's registry of nodes is static. */
    private static final Object REGISTRY = new Object();

    private final ConsensusOptions options;
    private final Consensus.State state;
    private final PeerId self;
    private final NodeDirectory directory;
    private final JRaftStateMachine machine;
    private final PeerTransport transport;
    private final JRaftRpc.Calls calls;
    private final ExecutorService executor =
            Executors.newCachedThreadPool(task -> PeerTransport.daemon("weir-cluster-work", task));
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> PeerTransport.daemon("weir-cluster-retry", task));
    /** Not shut down, because it also fails what is submitted after the end. Its thread ends when it is idle. */
    private final ExecutorService replies = replyThread();

    private final long attemptMillis;
    private final AtomicBoolean isReadingIndex = new AtomicBoolean();
    private final AtomicLong stallLoggedAt = new AtomicLong(System.nanoTime() - STALL_LOG_PAUSE_NANOS);
    private volatile PromiseState memory = PromiseState.NONE;
    private volatile @Nullable Node node;
    private volatile @Nullable RaftMetaStorage meta;
    private volatile @Nullable FileLogStorage log;
    /** Not a monitor: it is held while threads end, and that would pin a virtual thread. */
    private final ReentrantLock ending = new ReentrantLock();

    private volatile boolean closed;
    private volatile boolean isCaughtUp;
    private volatile @Nullable String problem;

    /** @throws IOException if the directory or the address cannot be used */
    public JRaftNode(ConsensusOptions options, Consensus.State state) throws IOException {
        this.options = options;
        this.state = state;
        this.self = JRaftRpc.peer(options.node());
        this.attemptMillis = Math.max(100, options.timing().election().toMillis() / 2);
        this.directory = NodeDirectory.open(options.data(), isSynced());
        this.machine = new JRaftStateMachine(state, options, directory, executor, this::takeSnapshot);
        try {
            this.transport = new PeerTransport(
                    options, this::handle, () -> options.formats().from(state.format()));
        } catch (IOException e) {
            directory.close();
            throw e;
        }
        this.calls = new JRaftRpc.Calls(transport, executor, new JRaftRpc.Votes() {
            @Override
            public long term() {
                RaftMetaStorage kept = meta;
                return kept == null ? 0 : kept.getTerm();
            }

            @Override
            public boolean keep(long term) {
                RaftMetaStorage kept = Objects.requireNonNull(meta);
                return (kept.getTerm() == term && self.equals(kept.getVotedFor()))
                        || kept.setTermAndVotedFor(term, self);
            }
        });
    }

    private static ExecutorService replyThread() {
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> PeerTransport.daemon("weir-cluster-reply", task));
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    /** A temporary directory does not survive the process, so that syncing it is useless. */
    private boolean isSynced() {
        return options.sync() && options.data() != null;
    }

    private void takeSnapshot() {
        Node running = node;
        if (running != null && !closed) {
            running.snapshot(status -> LOG.log(Level.DEBUG, "snapshot: {0}", status));
        }
    }

    // ---- start ---------------------------------------------------------------------------------------------------

    @Override
    public void start() throws IOException {
        memory = directory.memory();
        transport.start();
        if (memory == PromiseState.ALL) {
            directory.writeMember(false);
            launch(founders());
        } else {
            executor.execute(this::join);
        }
        var unused = timer.scheduleWithFixedDelay(machine::recordTime, 1, 1, TimeUnit.SECONDS);
    }

    private Configuration founders() {
        Configuration all = new Configuration();
        options.founders().forEach(name -> all.addPeer(JRaftRpc.peer(name)));
        return all;
    }

    private void join() {
        try {
            if (memory == PromiseState.NONE) {
                // A start that did not come to its end begins again.
                directory.empty();
            }
            long graceEnds = System.nanoTime() + options.timing().grace().toNanos();
            while (!closed && node == null) {
                decide(System.nanoTime() - graceEnds > 0);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            while (!closed && memory != PromiseState.ALL) {
                if (askLeader(RETURN) || isCurrentMember()) {
                    directory.writeMember(false);
                    memory = PromiseState.ALL;
                    problem = null;
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (IOException | RuntimeException e) {
            problem = "this node could not start: " + e.getMessage();
            LOG.log(Level.ERROR, problem, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether this node is a committed member. The members in its own log do not say that before it has applied everything
     * that was committed: the log begins with those of former times. The leader's reply to the read does not say it either:
     * the leader counts members from the moment at which it proposes them, and a new leader may not have the proposal.
     */
    private boolean isCurrentMember() throws InterruptedException {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        readIndex(Objects.requireNonNull(node), CHANGE_MILLIS, status -> reply.complete(status.isOk()));
        try {
            return reply.get() && machine.members().contains(options.node());
        } catch (ExecutionException e) {
            return false;
        }
    }

    /** Starts if the other nodes' answers allow it. */
    private void decide(boolean isGraceOver) throws IOException, InterruptedException {
        List<String> all = options.founders();
        Map<Byte, Integer> answers = new HashMap<>();
        List<CompletableFuture<byte[]>> asked = new ArrayList<>();
        BytesOut hello = new BytesOut();
        hello.text(String.join(",", all));
        for (String other : all) {
            if (!other.equals(options.node())) {
                asked.add(transport.ask(other, HELLO, hello.toBytes(), 200));
            }
        }
        for (CompletableFuture<byte[]> one : asked) {
            try {
                answers.merge(one.get()[0], 1, Integer::sum);
            } catch (ExecutionException e) {
                LOG.log(Level.DEBUG, "no answer yet", e);
            }
        }
        int empty = answers.getOrDefault(EMPTY, 0) + 1;
        int uncertain = answers.getOrDefault(UNCERTAIN, 0) + 1;
        if (answers.containsKey(OTHER_FOUNDERS)) {
            problem = "another node has another list of members; start a new cluster with the same list on all nodes";
        } else if (memory == PromiseState.UNCERTAIN && uncertain == all.size()) {
            found();
        } else if (memory == PromiseState.NONE
                && answers.keySet().stream().allMatch(answer -> answer == EMPTY)
                && all.contains(options.node())
                && (empty == all.size() || (isGraceOver && empty > all.size() / 2))) {
            found();
        } else if (answers.containsKey(MEMBER) && askLeader(LEAVE)) {
            directory.empty();
            memory = PromiseState.NONE;
            launch(new Configuration());
        }
    }

    private void found() throws IOException {
        directory.writeMember(false);
        memory = PromiseState.ALL;
        launch(founders());
    }

    /** Returns whether the leader did it. */
    private boolean askLeader(int kind) throws InterruptedException {
        for (String other : options.founders()) {
            if (!other.equals(options.node()) && !closed) {
                try {
                    byte[] unused = transport
                            .ask(other, kind, new byte[0], CHANGE_MILLIS)
                            .get();
                    return true;
                } catch (ExecutionException e) {
                    String why = String.valueOf(
                            e.getCause() == null ? null : e.getCause().getMessage());
                    problem = why.contains(NO_MEMBER) ? why : problem;
                }
            }
        }
        return false;
    }

    private void launch(Configuration initial) throws IOException {
        synchronized (REGISTRY) {
            if (closed) {
                return;
            }
            JRaftRpc.CREATING.set(calls);
            try {
                NodeOptions made = nodeOptions(initial);
                var unused = RaftRpcServerFactory.createRaftRpcServer(self.getEndpoint(), executor, executor);
                NodeManager.getInstance().addAddress(self.getEndpoint());
                calls.group = NodeManager.getInstance().get(options.cluster(), self) == null
                        ? options.cluster()
                        : options.cluster() + "-" + GROUPS.incrementAndGet();
                Node created = RaftServiceFactory.createRaftNode(calls.group, self);
                if (!created.init(made)) {
                    throw new IOException(cause());
                }
                machine.started(created.getLastLogIndex());
                node = created;
            } finally {
                JRaftRpc.CREATING.remove();
            }
        }
    }

    private String cause() {
        FileLogStorage storage = log;
        return storage == null || storage.failure() == null
                ? "its directory cannot be used; the log has the reason"
                : storage.failure();
    }

    private NodeOptions nodeOptions(Configuration initial) {
        // JRaft checks once in an election timeout whether the leader is silent, which takes one to two of them.
        int election = (int) (options.timing().election().toMillis() * 67 / 100);
        RaftOptions raft = new RaftOptions();
        raft.setSync(isSynced());
        raft.setSyncMeta(isSynced());
        raft.setMaxElectionDelayMs(election / 4);
        raft.setElectionHeartbeatFactor(5);
        raft.setDisruptorBufferSize(4_096);
        raft.setOpenStatistics(false);
        NodeOptions made = new NodeOptions();
        made.setRaftOptions(raft);
        made.setElectionTimeoutMs(election);
        made.setSnapshotIntervalSecs(0);
        made.setInitialConf(initial);
        made.setFsm(machine);
        made.setDisableCli(true);
        made.setRpcDefaultTimeout(1_000);
        made.setRpcConnectTimeoutMs(200);
        made.setLogUri(directory.path("log").toString());
        made.setRaftMetaUri(directory.path("meta").toString());
        made.setSnapshotUri(directory.path("snapshots").toString());
        made.setCatchupMargin(500);
        made.setServiceFactory(new DefaultJRaftServiceFactory() {
            @Override
            public LogStorage createLogStorage(String uri, RaftOptions raftOptions) {
                FileLogStorage created = new FileLogStorage(Path.of(uri), isSynced());
                log = created;
                return created;
            }

            @Override
            public RaftMetaStorage createRaftMetaStorage(String uri, RaftOptions raftOptions) {
                RaftMetaStorage created = new LocalRaftMetaStorage(uri, raftOptions) {
                    /** JRaft 1.3 grants a vote even if it could not be kept (sofa-jraft#1243). */
                    @Override
                    public boolean setVotedFor(PeerId peer) {
                        if (!super.setVotedFor(peer)) {
                            throw new IllegalStateException("the vote could not be kept");
                        }
                        return true;
                    }
                };
                meta = created;
                return created;
            }
        });
        return made;
    }

    // ---- requests of other nodes -----------------------------------------------------------------------------------

    private CompletableFuture<byte[]> handle(PeerConnection from, int kind, byte[] body) throws IOException {
        if (kind == HELLO) {
            return CompletableFuture.completedFuture(new byte[] {hello(new BytesIn(body).text())});
        }
        if (kind == STATUS) {
            return CompletableFuture.supplyAsync(() -> status().encode(), executor);
        }
        Node running = node;
        if (running == null || closed) {
            throw new IOException("this node has not started");
        }
        return switch (kind) {
            case SUBMIT -> append(body);
            case LEAVE -> configure(MembershipChange.REMOVE, from.peer(), from::isOpen);
            case RETURN -> {
                if (!options.founders().contains(from.peer())) {
                    throw new IOException(from.peer() + NO_MEMBER + "; add it with `weir cluster add " + from.peer()
                            + "`, sent to a node of the cluster");
                }
                yield configure(MembershipChange.ADD, from.peer(), from::isOpen);
            }
            case CHANGE -> {
                BytesIn in = new BytesIn(body);
                yield configure(MembershipChange.valueOf(in.text()), in.text(), null);
            }
            case JRaftRpc.CALL -> calls.handle(from, body, (RaftServerService) running);
            default -> throw new IOException("an unknown kind of request");
        };
    }

    private byte hello(String founders) throws IOException {
        Node running = node;
        if (running == null && memory == PromiseState.ALL) {
            throw new IOException("this node is starting");
        }
        if (running != null && running.getLastLogIndex() > 0) {
            return MEMBER;
        }
        if (memory == PromiseState.UNCERTAIN) {
            return UNCERTAIN;
        }
        return founders.equals(String.join(",", options.founders())) ? EMPTY : OTHER_FOUNDERS;
    }

    /**
     * Changes the members, or transfers leadership, if this node leads.
     *
     * @param isAwaited whether the node that asks for it for itself still waits; null if an operator asks. An operator's
     *     change waits for another one to end. That of a node must not: the node repeats it, and an old request to remove
     *     it must not be executed after it has returned.
     */
    private CompletableFuture<byte[]> configure(
            MembershipChange change, String name, @Nullable BooleanSupplier isAwaited) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        long nanos = isAwaited == null ? TimeUnit.MILLISECONDS.toNanos(CHANGE_MILLIS / 2) : 0;
        configure(change, name, isAwaited, System.nanoTime() + nanos, reply);
        return reply;
    }

    private void configure(
            MembershipChange change,
            String name,
            @Nullable BooleanSupplier isAwaited,
            long deadline,
            CompletableFuture<byte[]> reply) {
        Closure done = status -> {
            if (status.isOk()) {
                reply.complete(new byte[1]);
            } else if (status.getRaftError() == RaftError.EBUSY && System.nanoTime() - deadline < 0 && !closed) {
                var unused = timer.schedule(
                        () -> configure(change, name, isAwaited, deadline, reply), BUSY_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                reply.completeExceptionally(new IOException(status.getErrorMsg()));
            }
        };
        executor.execute(() -> {
            try {
                Node leader = Objects.requireNonNull(node);
                PeerId peer = JRaftRpc.peer(name);
                Configuration wanted = new Configuration(leader.listPeers());
                if (change == MembershipChange.TRANSFER) {
                    done.run(leader.transferLeadershipTo(peer));
                    return;
                }
                boolean isChanged = change == MembershipChange.ADD ? wanted.addPeer(peer) : wanted.removePeer(peer);
                if (isAwaited == null && change == MembershipChange.REMOVE) {
                    checkRemoval(name, isChanged, wanted);
                }
                if (isAwaited != null && !isAwaited.getAsBoolean()) {
                    throw new IllegalStateException(name + " no longer waits for this change");
                }
                // Also without a change: JRaft refuses while another one is not committed. Then a former leader, which
                // does not know the new one yet, must not confirm.
                leader.changePeers(wanted, status -> {
                    if (status.isOk() && !isChanged) {
                        readIndex(leader, CHANGE_MILLIS, done);
                    } else {
                        done.run(status);
                    }
                });
            } catch (RuntimeException e) {
                reply.completeExceptionally(new IOException(String.valueOf(e.getMessage())));
            }
        });
    }

    /** Rejects a removal that would change nothing, or stop the cluster. Asks the other members, and blocks. */
    private void checkRemoval(String name, boolean isMember, Configuration rest) {
        List<String> others = JRaftStateMachine.names(rest.getPeers());
        if (!isMember) {
            throw new IllegalStateException(name + NO_MEMBER + "; its members are " + String.join(", ", others));
        }
        if (others.isEmpty()) {
            throw new IllegalStateException(name + " is the last member; stop it instead");
        }
        long answering = statusOfAll().toCompletableFuture().join().stream()
                .filter(status -> others.contains(status.node()))
                .count();
        if (2 * answering <= others.size()) {
            throw new IllegalStateException("without " + name + " no majority of " + String.join(", ", others)
                    + " would answer, and the cluster would stop; start the others first");
        }
    }

    /** Appends to the log if this node leads. */
    private CompletableFuture<byte[]> append(byte[] bytes) {
        if (!machine.leads()) {
            return CompletableFuture.failedFuture(new IOException("this node does not lead"));
        }
        BytesIn in = new BytesIn(bytes);
        boolean durable = in.flag();
        byte[] body = in.bytes();
        if (!state.accepts(body)) {
            return CompletableFuture.failedFuture(new IOException("the leader cannot read this format"));
        }
        JRaftStateMachine.Pending pending = new JRaftStateMachine.Pending();
        Objects.requireNonNull(node).apply(new Task(machine.stamped(body, durable), pending));
        return pending.reply;
    }

    // ---- requests of this node -------------------------------------------------------------------------------------

    private @Nullable String leader() {
        Node running = node;
        PeerId leader = running == null || closed ? null : running.getLeaderId();
        return leader == null || leader.isEmpty() ? null : JRaftRpc.name(leader.getEndpoint());
    }

    @Override
    public CompletionStage<byte[]> submit(byte[] body, boolean durable) {
        if (body.length > MOST_SUBMITTED_BYTES) {
            return CompletableFuture.failedFuture(new StoreException(
                    "a change of " + body.length + " bytes; the cluster takes at most " + MOST_SUBMITTED_BYTES,
                    false,
                    null));
        }
        BytesOut out = new BytesOut(body.length + 8);
        out.flag(durable);
        out.bytes(body);
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        attempt(out.toBytes(), System.nanoTime() + options.patience().toNanos(), reply);
        return reply;
    }

    private void attempt(byte[] bytes, long deadline, CompletableFuture<byte[]> reply) {
        String leader = leader();
        boolean isHopeless =
                leader == null && machine.leaderlessNanos() > options.patience().toNanos();
        if (closed || isHopeless || System.nanoTime() - deadline > 0) {
            String why = closed
                    ? "the node is closed"
                    : leader == null
                            ? "this node sees no majority of the cluster; it refuses until it does"
                            : "the cluster did not agree within "
                                    + options.patience().toMillis() + " ms";
            if (leader != null && !closed) {
                logStall(why);
            }
            fail(reply, why);
            return;
        }
        CompletableFuture<byte[]> attempt;
        try {
            attempt = leader == null
                    ? CompletableFuture.failedFuture(new IOException("there is no leader"))
                    : leader.equals(options.node())
                            ? append(bytes).orTimeout(attemptMillis, TimeUnit.MILLISECONDS)
                            : transport.ask(leader, SUBMIT, bytes, attemptMillis);
        } catch (RuntimeException e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        var unused = attempt.whenComplete((bytesOfReply, failure) -> {
            if (failure == null) {
                replies.execute(() -> reply.complete(bytesOfReply));
                return;
            }
            try {
                ScheduledFuture<?> unusedAttempt =
                        timer.schedule(() -> attempt(bytes, deadline, reply), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                fail(reply, "the node is closed");
            }
        });
    }

    /** A leader without agreement should be rare, so its state as JRaft sees it is logged, but not for every call. */
    private void logStall(String why) {
        long now = System.nanoTime();
        long before = stallLoggedAt.get();
        Node running = node;
        if (running != null
                && now - before > STALL_LOG_PAUSE_NANOS
                && stallLoggedAt.compareAndSet(before, now)
                && LOG.isLoggable(Level.WARNING)) {
            executor.execute(() -> {
                StringWriter text = new StringWriter();
                running.describe(new Describer.DefaultPrinter(new PrintWriter(text)));
                LOG.log(Level.WARNING, "{0}; {1}\n{2}", why, status(), text);
            });
        }
    }

    private void fail(CompletableFuture<byte[]> reply, String why) {
        replies.execute(() -> reply.completeExceptionally(new StoreException(why, true, null)));
    }

    @Override
    public CompletionStage<Void> change(MembershipChange change, String name) {
        String leader = leader();
        if (leader == null) {
            return CompletableFuture.failedFuture(
                    new StoreException("this node sees no majority of the cluster", true, null));
        }
        BytesOut out = new BytesOut();
        out.text(change.name());
        out.text(name);
        CompletableFuture<byte[]> reply = leader.equals(options.node())
                ? configure(change, name, null).orTimeout(CHANGE_MILLIS, TimeUnit.MILLISECONDS)
                : transport.ask(leader, CHANGE, out.toBytes(), CHANGE_MILLIS);
        return reply.handle((bytes, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                boolean isUnknown = cause instanceof TimeoutException;
                throw new StoreException(
                        isUnknown
                                ? "the cluster has not finished it within " + CHANGE_MILLIS / 1_000
                                        + "s and continues; see its status"
                                : "the cluster did not do it: " + (cause == null ? failure : cause.getMessage()),
                        isUnknown,
                        failure);
            }
            return null;
        });
    }

    // ---- status ----------------------------------------------------------------------------------------------------

    @Override
    public NodeStatus status() {
        Node running = node;
        String leader = leader();
        String why = machine.failure();
        if (why == null && running != null && running.getNodeState() == com.alipay.sofa.jraft.core.State.STATE_ERROR) {
            why = "this node has stopped taking part; its log has the reason";
        }
        if (why == null) {
            why = memory != PromiseState.ALL && running != null
                    ? whyNotMember()
                    : leader == null ? whyNoLeader() : null;
        }
        if (leader == null || memory != PromiseState.ALL) {
            isCaughtUp = false;
        } else if (why == null && !isCaughtUp) {
            why = "this node is not caught up";
            readIndex(Objects.requireNonNull(running));
        }
        long applied = applied(running);
        return new NodeStatus(
                options.node(),
                leader,
                machine.term(),
                applied,
                Math.max(index(running, Node::getLastCommittedIndex), applied),
                machine.snapshotIndex(),
                machine.snapshotMillis(),
                members(),
                why == null && !closed,
                why);
    }

    /** Also counts JRaft's own entries, which never reach the state machine: the members, and the begin of a term. */
    private long applied(@Nullable Node running) {
        return Math.max(machine.applied(), index(running, Node::getLastAppliedLogIndex));
    }

    /** Returns 0 if the node is not active, which JRaft reports by an exception. */
    private static long index(@Nullable Node running, ToLongFunction<Node> getter) {
        try {
            return running == null ? 0 : getter.applyAsLong(running);
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    @Override
    public CompletionStage<List<NodeStatus>> statusOfAll() {
        NodeStatus own = status();
        List<CompletableFuture<@Nullable NodeStatus>> others = own.members().stream()
                .filter(member -> !member.equals(options.node()))
                .map(member -> transport
                        .ask(member, STATUS, new byte[0], STATUS_MILLIS)
                        .<@Nullable NodeStatus>handle(
                                (bytes, failure) -> bytes == null ? null : NodeStatus.decode(bytes))
                        .exceptionally(malformed -> null))
                .toList();
        return CompletableFuture.allOf(others.toArray(new CompletableFuture<?>[0]))
                .thenApply(nothing -> Stream.concat(
                                Stream.of(own),
                                others.stream().map(CompletableFuture::join).filter(Objects::nonNull))
                        .toList());
    }

    private String whyNoLeader() {
        String reason = problem == null ? transport.refusal() : problem;
        return "this node sees no majority of the cluster" + (reason == null ? "" : " (" + reason + ")");
    }

    private String whyNotMember() {
        String reason = problem == null ? "this node is loading what the others have" : problem;
        String refusal = transport.refusalByPeer();
        return refusal == null ? reason : reason + " (" + refusal + ")";
    }

    /** Once the leader's present commit index is applied here, this node has everything that was committed. */
    private void readIndex(Node running) {
        if (isReadingIndex.compareAndSet(false, true)) {
            readIndex(running, options.timing().election().toMillis(), status -> {
                isCaughtUp = status.isOk();
                isReadingIndex.set(false);
            });
        }
    }

    /** Completes once the present leader's commit index is applied here; fails if a majority does not confirm it. */
    private static void readIndex(Node running, long millis, Closure done) {
        running.readIndex(new byte[] {1}, new ReadIndexClosure(millis) {
            @Override
            public void run(Status status, long index, byte[] context) {
                done.run(status);
            }
        });
    }

    @Override
    public int format() {
        int newest = options.formats().newest();
        if (options.formats().oldest() < newest) {
            for (String member : members()) {
                newest = member.equals(options.node()) ? newest : Math.min(newest, transport.newestFormat(member));
            }
        }
        return newest;
    }

    private List<String> members() {
        List<String> known = machine.members();
        return known.isEmpty() ? options.founders() : known;
    }

    @Override
    public int port() {
        return transport.port();
    }

    // ---- end -------------------------------------------------------------------------------------------------------

    @Override
    public void close() {
        Node running = node;
        if (!closed
                && running != null
                && options.node().equals(leader())
                && machine.members().size() > 1) {
            long end = System.nanoTime() + 2 * options.timing().election().toNanos();
            Status unused = running.transferLeadershipTo(PeerId.ANY_PEER);
            try {
                while (System.nanoTime() - end < 0
                        && (leader() == null || options.node().equals(leader()))) {
                    TimeUnit.MILLISECONDS.sleep(2);
                }
                // What was in flight here reaches the new leader.
                TimeUnit.MILLISECONDS.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        end(true);
    }

    @Override
    public void halt() {
        end(false);
    }

    private void end(boolean isProper) {
        ending.lock();
        try {
            if (!closed) {
                closed = true;
                endNow(isProper);
            }
        } finally {
            ending.unlock();
        }
    }

    private void endNow(boolean isProper) {
        Node running;
        synchronized (REGISTRY) { // A launch that has begun comes to its end first.
            running = node;
        }
        if (running != null) {
            running.shutdown();
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            synchronized (REGISTRY) {
                boolean unused = NodeManager.getInstance().removeAddress(self.getEndpoint());
            }
        }
        transport.close();
        timer.shutdown();
        executor.shutdown();
        awaitThreads();
        if (isProper && memory == PromiseState.ALL) {
            machine.recordTime();
            directory.closeProperly();
        }
        directory.close();
    }

    /** After the end another node may use the directory, so no thread of this one may still write there. */
    private void awaitThreads() {
        try {
            if (!timer.awaitTermination(END_SECONDS, TimeUnit.SECONDS)
                    || !executor.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(Level.WARNING, "threads of the node did not end within {0} s", END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
