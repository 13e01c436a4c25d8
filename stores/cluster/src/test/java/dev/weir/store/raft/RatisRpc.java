package dev.weir.store.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/** What Ratis servers say to each other, on a {@link Wire}. */
final class RatisRpc implements RaftServerRpc {
    static final int VOTE = 1;
    static final int APPEND = 2;
    static final int INSTALL = 3;
    static final int TAKE_OVER = 4;

    private final Wire wire;
    private final long millis;

    RatisRpc(Wire wire, long millis) {
        this.wire = wire;
        this.millis = millis;
    }

    /** How Ratis is told to use this. */
    public static final class Type implements RpcType {
        static final Type INSTANCE = new Type();

        @Override
        public String name() {
            return Type.class.getName();
        }

        @Override
        public RpcFactory newFactory(Parameters parameters) {
            RatisRpc rpc = parameters.getNonNull("weir", RatisRpc.class);
            return new ServerFactory() {
                @Override
                public RaftServerRpc newRaftServerRpc(RaftServer server) {
                    return rpc;
                }

                @Override
                public RpcType getRpcType() {
                    return INSTANCE;
                }
            };
        }
    }

    /** Answers what another server asked; what may take long is done elsewhere. */
    static CompletableFuture<byte[]> handle(RaftServer server, int kind, byte[] bytes, Executor executor)
            throws IOException {
        return switch (kind) {
            case APPEND ->
                server.appendEntriesAsync(AppendEntriesRequestProto.parseFrom(bytes))
                        .thenApply(AppendEntriesReplyProto::toByteArray);
            case VOTE, INSTALL, TAKE_OVER ->
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return switch (kind) {
                                    case VOTE ->
                                        server.requestVote(RequestVoteRequestProto.parseFrom(bytes))
                                                .toByteArray();
                                    case INSTALL ->
                                        server.installSnapshot(InstallSnapshotRequestProto.parseFrom(bytes))
                                                .toByteArray();
                                    default ->
                                        server.startLeaderElection(StartLeaderElectionRequestProto.parseFrom(bytes))
                                                .toByteArray();
                                };
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        },
                        executor);
            default -> throw new IOException("unknown kind " + kind);
        };
    }

    private byte[] ask(RaftRpcRequestProto header, int kind, byte[] body, long patience) throws IOException {
        int node = RatisNode.number(RaftPeerId.valueOf(header.getReplyId()));
        try {
            return wire.ask(node, kind, body, patience).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw new IOException("node " + node + " does not answer", e.getCause());
        }
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        return RequestVoteReplyProto.parseFrom(ask(request.getServerRequest(), VOTE, request.toByteArray(), millis));
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        return AppendEntriesReplyProto.parseFrom(
                ask(request.getServerRequest(), APPEND, request.toByteArray(), millis));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        return InstallSnapshotReplyProto.parseFrom(
                ask(request.getServerRequest(), INSTALL, request.toByteArray(), 10 * millis));
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
            throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(
                ask(request.getServerRequest(), TAKE_OVER, request.toByteArray(), millis));
    }

    @Override
    public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {}

    @Override
    public void start() {}

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return InetSocketAddress.createUnresolved("localhost", wire.port());
    }

    @Override
    public RpcType getRpcType() {
        return Type.INSTANCE;
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> peers) {}

    @Override
    public void close() {}
}
