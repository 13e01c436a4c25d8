package dev.weir.server.rls;

import dev.weir.server.http.Access;
import dev.weir.server.http.ServerState;
import io.grpc.Attributes;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC connection with its bounds: the memory of its calls, and the time that a call has for its message. All
 * methods but {@link #hasPendingCalls} are called on the connection's event loop.
 */
final class GrpcConnection {
    static final Attributes.Key<GrpcConnection> KEY = Attributes.Key.create("weir-connection");

    /** Estimated bytes that the calls of one connection may hold. A proxy has all its calls on a few connections. */
    static final long CONNECTION_BYTES = 8 << 20;

    private final ServerState node;
    private final Channel channel;
    /** The address whose memory bound applies; null if none does. */
    private final @Nullable ByteBuffer client;

    private final Access.CachedAccess access;
    /** Calls without their message, oldest first, with the time at which they began. */
    private final Map<Object, Long> pendingCalls = new LinkedHashMap<>();

    private volatile boolean hasPendingCalls;
    private long heldBytes;

    GrpcConnection(ServerState node, Channel channel) {
        this.node = node;
        this.channel = channel;
        this.client = node.connectionCap.client(channel);
        this.access = node.access.new CachedAccess();
    }

    Access.CachedAccess access() {
        return access;
    }

    Channel channel() {
        return channel;
    }

    /** Reserves bytes for a call; returns false if the connection, its client or the server would exceed a bound. */
    boolean tryHold(long bytes) {
        if (heldBytes + bytes > CONNECTION_BYTES || !node.memory.tryHold(client, bytes)) {
            return false;
        }
        heldBytes += bytes;
        return true;
    }

    void release(long bytes) {
        heldBytes -= bytes;
        node.memory.release(client, bytes);
    }

    void awaitMessage(Object call) {
        pendingCalls.put(call, System.nanoTime());
        hasPendingCalls = true;
    }

    void messageEnds(Object call) {
        pendingCalls.remove(call);
        hasPendingCalls = !pendingCalls.isEmpty();
    }

    /** Whether calls wait for their message. Any thread may call it; the result may be outdated. */
    boolean hasPendingCalls() {
        return hasPendingCalls;
    }

    /** Closes the connection if its oldest pending call began before this time. */
    void closeIfPendingSince(long nanos) {
        if (!pendingCalls.isEmpty() && pendingCalls.values().iterator().next() - nanos < 0) {
            close();
        }
    }

    /** Closes the connection with all its calls. */
    void close() {
        // From the head of the pipeline: gRPC's handler would first wait for the calls that this is to end.
        ChannelHandlerContext first = channel.pipeline().firstContext();
        ChannelFuture unused = first == null ? channel.close() : first.close();
    }
}
