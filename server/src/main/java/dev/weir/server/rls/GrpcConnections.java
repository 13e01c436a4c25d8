package dev.weir.server.rls;

import dev.weir.server.http.ServerState;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open gRPC connections. gRPC shows a call its connection only by its address, so connections are found by that.
 * The handler is installed on the listening channel, behind the cap on connections. Thread-safe.
 */
@Sharable
final class GrpcConnections extends ChannelInboundHandlerAdapter {
    /** The length of what a client sends first: the preface of HTTP/2. The first message of TLS is longer. */
    private static final int PREFACE_BYTES = 24;

    private final ServerState node;
    private final Duration messageTime;
    private final Map<SocketAddress, GrpcConnection> byAddress = new ConcurrentHashMap<>();

    /** @param messageTime how long a call may take to send its message */
    GrpcConnections(ServerState node, Duration messageTime) {
        this.node = node;
        this.messageTime = messageTime;
    }

    /** On a listening channel, the messages read are accepted connections. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel channel = (Channel) message;
        SocketAddress address = channel.remoteAddress();
        if (address != null) {
            GrpcConnection connection = new GrpcConnection(node, channel);
            byAddress.put(address, connection);
            channel.closeFuture().addListener(closed -> byAddress.remove(address, connection));
        }
        channel.pipeline().addLast(new FirstBytes());
        context.fireChannelRead(channel);
    }

    /** Ends the connection's time for its first bytes. Without them the cap on connections closes it. */
    private final class FirstBytes extends ChannelInboundHandlerAdapter {
        private int received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
            if (received >= PREFACE_BYTES) {
                node.connectionCap.opened(context.channel());
                context.pipeline().remove(this);
            }
            context.fireChannelRead(message);
        }
    }

    /** Returns the filter that adds the connection to the attributes of its calls. */
    ServerTransportFilter filter() {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes attributes) {
                GrpcConnection connection = find(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
                return connection == null
                        ? attributes
                        : attributes.toBuilder()
                                .set(GrpcConnection.KEY, connection)
                                .build();
            }
        };
    }

    private @Nullable GrpcConnection find(@Nullable SocketAddress address) {
        return address == null ? null : byAddress.get(address);
    }

    /** Closes connections with calls whose message does not come. */
    void sweep() {
        long latest = System.nanoTime() - messageTime.toNanos();
        byAddress.values().forEach(connection -> {
            if (connection.hasPendingCalls()) {
                connection.channel().eventLoop().execute(() -> connection.closeIfPendingSince(latest));
            }
        });
    }
}
