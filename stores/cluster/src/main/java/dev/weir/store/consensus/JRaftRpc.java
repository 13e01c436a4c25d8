package dev.weir.store.consensus;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.rpc.impl.ConnectionClosedEventListener;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * JRaft's remote calls on {@link PeerTransport}.
 *
 * <p>JRaft finds this class as a service and asks it for a client and a server without saying for which node. So the
 * thread that creates a node sets {@link #CREATING} meanwhile.
 */
@SPI(name = "weir", priority = 100)
public final class JRaftRpc implements RaftRpcFactory {
    /** The kind of all frames with JRaft's messages. */
    static final int CALL = 20;

    static final ThreadLocal<Calls> CREATING = new ThreadLocal<>();

    /** No cluster holds so many elections while a node is away: ten a second for thirteen years. */
    private static final long LARGEST_TERM_JUMP = 1L << 32;

    private static final List<Message> TYPES = List.of(
            RpcRequests.AppendEntriesRequest.getDefaultInstance(),
            RpcRequests.AppendEntriesResponse.getDefaultInstance(),
            RpcRequests.RequestVoteRequest.getDefaultInstance(),
            RpcRequests.RequestVoteResponse.getDefaultInstance(),
            RpcRequests.InstallSnapshotRequest.getDefaultInstance(),
            RpcRequests.InstallSnapshotResponse.getDefaultInstance(),
            RpcRequests.GetFileRequest.getDefaultInstance(),
            RpcRequests.GetFileResponse.getDefaultInstance(),
            RpcRequests.TimeoutNowRequest.getDefaultInstance(),
            RpcRequests.TimeoutNowResponse.getDefaultInstance(),
            RpcRequests.ReadIndexRequest.getDefaultInstance(),
            RpcRequests.ReadIndexResponse.getDefaultInstance(),
            RpcRequests.PingRequest.getDefaultInstance(),
            RpcRequests.ErrorResponse.getDefaultInstance());
    private static final Map<Class<?>, Integer> NUMBERS = new HashMap<>();

    static {
        TYPES.forEach(type -> NUMBERS.put(type.getClass(), NUMBERS.size()));
    }

    /** Where a node keeps its term and its vote. */
    interface Votes {
        long term();

        /** Keeps a candidate's vote for itself. */
        boolean keep(long term);
    }

    /** The client and the server of one node. */
    static final class Calls {
        final PeerTransport transport;
        final Executor executor;
        final Votes votes;
        final Server server = new Server();
        /** The group's name within this process, where JRaft tells nodes apart by it and the peer's name alone. */
        volatile String group = "";

        Calls(PeerTransport transport, Executor executor, Votes votes) {
            this.transport = transport;
            this.executor = executor;
            this.votes = votes;
        }

        CompletableFuture<byte[]> handle(PeerConnection from, byte[] bytes, RaftServerService node) throws IOException {
            Message request = decode(bytes);
            checkTerm(request);
            if (request instanceof AppendEntriesRequest append) {
                return append(from, append, node);
            }
            FieldDescriptor field = request.getDescriptorForType().findFieldByName("group_id");
            return server.handle(
                    from,
                    field == null
                            ? request
                            : request.toBuilder().setField(field, group).build(),
                    executor);
        }

        /**
         * Passes entries to the node in the order of their arrival, without JRaft's {@code AppendEntriesRequestProcessor}.
         * That one numbers replies for each pair of nodes. When a connection ends, it waits 15 s for its own threads, and a
         * reply of the former connection stops all later ones (sofa-jraft#648). The leader puts replies in order itself.
         */
        private static CompletableFuture<byte[]> append(
                PeerConnection from, AppendEntriesRequest request, RaftServerService node) {
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            RpcRequestClosure done =
                    new RpcRequestClosure(context(from, reply), RpcRequests.AppendEntriesResponse.getDefaultInstance());
            Message response = node.handleAppendEntriesRequest(request, done);
            if (response != null) {
                done.sendResponse(response);
            }
            return reply;
        }

        /**
         * Rejects terms that no node can have reached. A single message with the largest term would leave no greater
         * one, and no leader could be elected again.
         */
        private void checkTerm(Message message) throws IOException {
            FieldDescriptor field = message.getDescriptorForType().findFieldByName("term");
            if (field != null && (Long) message.getField(field) - votes.term() > LARGEST_TERM_JUMP) {
                throw new IOException("a term that no node can have reached");
            }
        }
    }

    static byte[] encode(Message message) {
        int number = Objects.requireNonNull(NUMBERS.get(message.getClass()), message.getClass()::getName);
        byte[] content = message.toByteArray();
        byte[] bytes = new byte[content.length + 1];
        bytes[0] = (byte) number;
        System.arraycopy(content, 0, bytes, 1, content.length);
        return bytes;
    }

    static Message decode(byte[] bytes) throws InvalidProtocolBufferException {
        if (bytes.length == 0 || bytes[0] < 0 || bytes[0] >= TYPES.size()) {
            throw new InvalidProtocolBufferException("an unknown type of message");
        }
        return TYPES.get(bytes[0]).getParserForType().parseFrom(bytes, 1, bytes.length - 1);
    }

    /** The peer's id of a name: HOST:PORT, or another name, to which port 1 is added. */
    static PeerId peer(String name) {
        int colon = name.lastIndexOf(':');
        return colon < 0
                ? new PeerId(name, 1)
                : new PeerId(name.substring(0, colon), Integer.parseInt(name.substring(colon + 1)));
    }

    static String name(Endpoint endpoint) {
        return endpoint.getPort() == 1 ? endpoint.getIp() : endpoint.getIp() + ":" + endpoint.getPort();
    }

    @Override
    public void registerProtobufSerializer(String className, Object... args) {}

    @Override
    public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
        return new Client(CREATING.get());
    }

    @Override
    public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
        return CREATING.get().server;
    }

    private static final class Client implements RpcClient {
        private final Calls calls;

        Client(Calls calls) {
            this.calls = calls;
        }

        @Override
        public boolean init(RpcOptions options) {
            return true;
        }

        @Override
        public void shutdown() {}

        /** The transport connects by itself. A call without a connection fails. */
        @Override
        public boolean checkConnection(Endpoint endpoint) {
            return true;
        }

        @Override
        public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
            return true;
        }

        @Override
        public void closeConnection(Endpoint endpoint) {}

        @Override
        public void registerConnectEventListener(ReplicatorGroup group) {}

        @Override
        public Object invokeSync(Endpoint endpoint, Object request, @Nullable InvokeContext context, long millis)
                throws InterruptedException, RemotingException {
            try {
                return decode(calls.transport
                        .ask(name(endpoint), CALL, encode((Message) request), millis)
                        .get());
            } catch (ExecutionException | InvalidProtocolBufferException e) {
                throw new RemotingException(e);
            }
        }

        @Override
        public void invokeAsync(
                Endpoint endpoint,
                Object request,
                @Nullable InvokeContext context,
                InvokeCallback callback,
                long millis)
                throws RemotingException {
            // JRaft 1.3 asks for votes before it has kept its own (sofa-jraft#1245).
            if (request instanceof RpcRequests.RequestVoteRequest vote
                    && !vote.getPreVote()
                    && !calls.votes.keep(vote.getTerm())) {
                throw new RemotingException("the vote could not be kept");
            }
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            var unused = reply.whenComplete((bytes, failure) -> {
                if (bytes != null && request instanceof AppendEntriesRequest) {
                    // In the thread that reads. JRaft's executor may wait a second for a task that it has
                    // (MpscSingleThreadExecutor): too long for a heartbeat.
                    complete(callback, bytes, null);
                } else {
                    Executor executor = callback.executor() == null ? calls.executor : callback.executor();
                    executor.execute(() -> complete(callback, bytes, failure));
                }
            });
            calls.transport.ask(name(endpoint), CALL, encode((Message) request), millis, reply);
        }

        private void complete(InvokeCallback callback, byte @Nullable [] bytes, @Nullable Throwable failure) {
            if (bytes == null) {
                callback.complete(
                        null, failure instanceof TimeoutException ? new InvokeTimeoutException(failure) : failure);
                return;
            }
            Message reply;
            try {
                reply = decode(bytes);
                calls.checkTerm(reply);
            } catch (IOException e) {
                callback.complete(null, e);
                return;
            }
            callback.complete(reply, null);
        }
    }

    private static RpcContext context(PeerConnection from, CompletableFuture<byte[]> reply) {
        return new RpcContext() {
            @Override
            public void sendResponse(Object response) {
                reply.complete(encode((Message) response));
            }

            @Override
            public Connection getConnection() {
                throw new UnsupportedOperationException("only AppendEntriesRequestProcessor needs it");
            }

            @Override
            public String getRemoteAddress() {
                return from.peer();
            }
        };
    }

    static final class Server implements RpcServer {
        private final Map<String, RpcProcessor<Message>> processors = new ConcurrentHashMap<>();

        @Override
        public boolean init(@Nullable Void nothing) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void registerConnectionClosedEventListener(ConnectionClosedEventListener listener) {}

        @SuppressWarnings("unchecked")
        @Override
        public void registerProcessor(RpcProcessor<?> processor) {
            processors.put(processor.interest(), (RpcProcessor<Message>) processor);
        }

        @Override
        public int boundPort() {
            return 1;
        }

        CompletableFuture<byte[]> handle(PeerConnection from, Message request, Executor fallback) throws IOException {
            RpcProcessor<Message> processor = processors.get(request.getClass().getName());
            if (processor == null) {
                throw new IOException("an unexpected message");
            }
            Executor executor = processor.executor();
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            (executor == null ? fallback : executor)
                    .execute(() -> processor.handleRequest(context(from, reply), request));
            return reply;
        }
    }
}
