package dev.weir.store.raft;

import dev.weir.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** A node whose consensus is Apache Ratis, on Weir's own connections. For comparison. */
public final class RatisNode implements Consensus {
    private static final int SUBMIT = 10;
    private static final int HELLO = 11;
    /** Asks the leader to count without the one who asks, who has forgotten everything, and later with it again. */
    private static final int LEAVE = 12;

    private static final int RETURN = 13;

    private final RaftOptions options;
    private final RaftGroupId group;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final Wire wire;
    private final State state;
    private final Path directory;
    /** There once this node takes part with all that it knows. */
    private final Path trusted;

    private volatile RaftServer server;
    private final ExecutorService slow = Executors.newCachedThreadPool(task -> TcpTransport.daemon("ratis-slow", task));
    private final ScheduledExecutorService later =
            Executors.newSingleThreadScheduledExecutor(task -> TcpTransport.daemon("ratis-later", task));
    private final ExecutorService answers =
            Executors.newSingleThreadExecutor(task -> TcpTransport.daemon("ratis-answers", task));
    private final long resendMillis;
    private volatile boolean started;
    private volatile boolean closed;
    private volatile boolean caughtUp;
    private volatile boolean isTrusted;
    private volatile String problem;

    public RatisNode(RaftOptions options, State state) throws IOException {
        this.options = options;
        this.resendMillis = options.timing().election().toMillis() / 2;
        this.group =
                RaftGroupId.valueOf(UUID.nameUUIDFromBytes(options.cluster().getBytes(StandardCharsets.UTF_8)));
        this.state = state;
        this.directory = options.directory() == null ? Files.createTempDirectory("ratis") : options.directory();
        this.trusted = directory.resolve("trusted");
        this.wire = new Wire(options, this::handle);
    }

    /** @param forgot who has forgotten everything, and counts for nothing; -1 for nobody */
    private List<RaftPeer> peers(int forgot, boolean forgotten) {
        List<RaftPeer> peers = new ArrayList<>();
        for (int i = 0; i < options.size(); i++) {
            if ((i == forgot) == forgotten) {
                peers.add(RaftPeer.newBuilder()
                        .setId(id(i))
                        .setAddress("node" + i + ":1")
                        .setStartupRole(i == forgot ? RaftPeerRole.LISTENER : RaftPeerRole.FOLLOWER)
                        .build());
            }
        }
        return peers;
    }

    private void launch(int forgot) throws IOException {
        Parameters parameters = new Parameters();
        parameters.put("weir", new RatisRpc(wire, resendMillis), RatisRpc.class);
        List<RaftPeer> all = new ArrayList<>(peers(forgot, false));
        all.addAll(peers(forgot, true));
        boolean isNew = !Files.exists(directory.resolve(group.getUuid().toString()));
        server = RaftServer.newBuilder()
                .setServerId(id(options.node()))
                .setGroup(RaftGroup.valueOf(group, all))
                .setOption(isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
                .setProperties(properties(directory))
                .setParameters(parameters)
                .setStateMachine(new RatisState(state, options.clock()))
                .build();
        server.start();
        started = true;
    }

    private RaftProperties properties(Path directory) {
        RaftProperties p = new RaftProperties();
        long election = options.timing().election().toMillis();
        p.set("raft.rpc.type", RatisRpc.Type.class.getName());
        p.set("raft.server.storage.dir", directory.toString());
        p.set("raft.server.rpc.timeout.min", election + "ms");
        p.set("raft.server.rpc.timeout.max", 2 * election + "ms");
        p.set("raft.server.rpc.request.timeout", resendMillis + "ms");
        p.set("raft.server.rpc.sleep.time", "5ms");
        p.set("raft.server.log.appender.wait-time.min", "0ms");
        // Written before it is acknowledged, and synced soon after: a process that dies loses nothing.
        p.set("raft.server.log.unsafe-flush.enabled", System.getProperty("weir.ratis.unsafe-flush", "true"));
        p.set("raft.server.log.log-metadata.enabled", "false");
        p.set("raft.server.log.segment.size.max", "8MB");
        p.set("raft.server.log.segment.cache.num.max", "2");
        p.set("raft.server.log.appender.snapshot.chunk.size.max", "1MB");
        p.set("raft.server.log.purge.upto.snapshot.index", "true");
        p.set("raft.server.snapshot.auto.trigger.enabled", "true");
        p.set("raft.server.snapshot.auto.trigger.threshold", System.getProperty("weir.ratis.snapshot", "20000"));
        p.set("raft.server.snapshot.retention.file.num", "1");
        p.set("raft.server.snapshot.trigger-when-stop.enabled", "false");
        p.set("raft.server.retrycache.expirytime", "1s");
        return p;
    }

    static RaftPeerId id(int node) {
        return RaftPeerId.valueOf("n" + node);
    }

    static int number(RaftPeerId id) {
        return id == null ? Raft.NOBODY : Integer.parseInt(id.toString().substring(1));
    }

    @Override
    public void start() throws IOException {
        if (Files.exists(trusted)) {
            launch(Raft.NOBODY);
        } else {
            slow.execute(this::begin);
        }
    }

    /** An empty directory: either all begin, or this node has forgotten what it promised and learns it first. */
    private void begin() {
        try {
            // What it learned the last time and did not finish it learns again.
            wipe();
            if (isFounding()) {
                launch(Raft.NOBODY);
                while (!closed && !knowsAnything()) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
            } else {
                askLeader(LEAVE);
                launch(options.node());
                askLeader(RETURN);
            }
            Files.createFile(trusted);
            isTrusted = true;
        } catch (IOException | InterruptedException | RuntimeException e) {
            problem = "it has failed: " + e;
        }
    }

    private boolean knowsAnything() throws IOException {
        return started && server.getDivision(group).getInfo().getLastAppliedIndex() >= 0;
    }

    private void wipe() throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(directory);
    }

    /** Whether nobody knows anything: all say so, or after a while a majority does. */
    private boolean isFounding() throws InterruptedException {
        long end = System.nanoTime() + options.timing().grace().toNanos();
        while (!closed) {
            int empty = 1;
            for (int i = 0; i < options.size(); i++) {
                if (i != options.node()) {
                    try {
                        byte[] said = wire.ask(i, HELLO, new byte[0], 200).get();
                        if (said[0] != 0) {
                            return false;
                        }
                        empty++;
                    } catch (ExecutionException e) {
                        // Not there yet.
                    }
                }
            }
            if (empty == options.size() || (System.nanoTime() - end > 0 && empty > options.size() / 2)) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new IllegalStateException("closed");
    }

    private void askLeader(int kind) throws InterruptedException {
        while (!closed) {
            for (int i = 0; i < options.size(); i++) {
                if (i != options.node()) {
                    try {
                        wire.ask(i, kind, new byte[0], 5_000).get();
                        return;
                    } catch (ExecutionException e) {
                        // It does not lead, or could not do it.
                    }
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new IllegalStateException("closed");
    }

    private CompletableFuture<byte[]> handle(int from, int kind, byte[] bytes) throws IOException {
        if (kind == HELLO) {
            return CompletableFuture.completedFuture(
                    new byte[] {(byte) (Files.exists(trusted) || knowsAnything() ? 1 : 0)});
        }
        if (!started || closed) {
            throw new IOException("not started");
        }
        return switch (kind) {
            case SUBMIT -> append(bytes);
            case LEAVE, RETURN -> configure(kind == LEAVE ? from : Raft.NOBODY);
            default -> RatisRpc.handle(server, kind, bytes, slow);
        };
    }

    private CompletableFuture<byte[]> configure(int forgot) throws IOException {
        SetConfigurationRequest.Arguments arguments = SetConfigurationRequest.Arguments.newBuilder()
                .setServersInNewConf(peers(forgot, false))
                .setListenersInNewConf(peers(forgot, true))
                .build();
        return server.setConfigurationAsync(
                        new SetConfigurationRequest(client, server.getId(), group, calls.incrementAndGet(), arguments))
                .thenApply(reply -> {
                    if (!reply.isSuccess()) {
                        throw new IllegalStateException("not configured", reply.getException());
                    }
                    return new byte[1];
                });
    }

    /** Puts it into the log if this node leads. */
    private CompletableFuture<byte[]> append(byte[] bytes) throws IOException {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(server.getId())
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
                .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes)))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        return ((RaftClientAsynchronousProtocol) server.getDivision(group))
                .submitClientRequestAsync(request)
                .thenApply(RatisNode::reply);
    }

    private static byte[] reply(RaftClientReply reply) {
        if (!reply.isSuccess()) {
            throw new IllegalStateException("not applied", reply.getException());
        }
        return reply.getMessage().getContent().toByteArray();
    }

    private int leader() {
        try {
            return started ? number(server.getDivision(group).getInfo().getLeaderId()) : Raft.NOBODY;
        } catch (IOException e) {
            return Raft.NOBODY;
        }
    }

    @Override
    public CompletionStage<byte[]> submit(byte[] body, boolean durable) {
        BytesOut out = new BytesOut(body.length + 8);
        out.flag(durable);
        out.bytes(body);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        attempt(out.toBytes(), System.nanoTime() + options.patience().toNanos(), answer);
        return answer;
    }

    private void attempt(byte[] bytes, long deadline, CompletableFuture<byte[]> answer) {
        int leader = started && !closed ? leader() : Raft.NOBODY;
        if (closed || System.nanoTime() - deadline > 0) {
            String why = closed
                    ? "the node is closed"
                    : leader == Raft.NOBODY
                            ? "this node sees no majority of the cluster; it refuses until it does"
                            : "the cluster did not agree in time";
            answers.execute(() -> answer.completeExceptionally(new StoreException(why, true, null)));
            return;
        }
        CompletableFuture<byte[]> attempt;
        try {
            attempt = leader == Raft.NOBODY
                    ? CompletableFuture.failedFuture(new IOException("nobody leads"))
                    : leader == options.node()
                            ? append(bytes).orTimeout(resendMillis, TimeUnit.MILLISECONDS)
                            : wire.ask(leader, SUBMIT, bytes, resendMillis);
        } catch (IOException | RuntimeException e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        attempt.whenComplete((reply, failure) -> {
            if (failure == null) {
                answers.execute(() -> answer.complete(reply));
            } else {
                var unused = later.schedule(() -> attempt(bytes, deadline, answer), 3, TimeUnit.MILLISECONDS);
            }
        });
    }

    @Override
    public NodeStatus status() {
        if (!started) {
            String why = problem == null ? "this node sees no majority of the cluster" : problem;
            return new NodeStatus(false, Raft.NOBODY, 0, 0, false, false, why);
        }
        try {
            RaftServer.Division division = server.getDivision(group);
            int leader = leader();
            long applied = division.getInfo().getLastAppliedIndex();
            String why = problem;
            if (leader == Raft.NOBODY) {
                why = "this node sees no majority of the cluster";
                caughtUp = false;
            } else if (!isTrusted && !Files.exists(trusted)) {
                why = "this node is still learning what the others know";
            } else if (!caughtUp) {
                long commit = division.getRaftLog().getLastCommittedIndex();
                for (CommitInfoProto info : division.getCommitInfos()) {
                    commit = Math.max(commit, info.getCommitIndex());
                }
                boolean leads = division.getInfo().isLeaderReady();
                caughtUp = applied >= commit && commit >= 0 && (leads || leader != options.node());
                why = caughtUp ? why : "this node is not caught up";
            }
            return new NodeStatus(
                    division.getInfo().isLeader(),
                    leader,
                    division.getInfo().getCurrentTerm(),
                    applied,
                    why == null && !closed,
                    isTrusted,
                    why);
        } catch (IOException e) {
            return new NodeStatus(false, Raft.NOBODY, 0, 0, false, false, "it has failed: " + e);
        }
    }

    @Override
    public int port() {
        return wire.port();
    }

    @Override
    public void close() {
        try {
            if (!closed && started && server.getDivision(group).getInfo().isLeader() && options.size() > 1) {
                server.transferLeadership(new TransferLeadershipRequest(
                        client, server.getId(), group, calls.incrementAndGet(), null, 1_000));
            }
        } catch (IOException e) {
            // Then they elect another.
        }
        halt();
    }

    @Override
    public void halt() {
        if (!closed) {
            closed = true;
            try {
                if (server != null) {
                    server.close();
                }
            } catch (IOException e) {
                // It ends all the same.
            }
            wire.close();
        }
    }
}
