package dev.weir.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The caps on connections, over all and per client address. A connection counts from the moment the kernel hands it over:
 * Vert.x reports one only when its TLS handshake is done and, with HTTP/2, its first frame is here, which a silent client
 * never gets to. One too many is closed at once, and one that is not reported in time as well.
 *
 * <p>An IPv6 address counts with its /64 network, which is what one client has. Trusted proxies have no cap of their own:
 * many clients come through one. Sits at every listening channel. Thread-safe.
 */
@Sharable
final class Door extends ChannelInboundHandlerAdapter {
    private static final int IPV6_CLIENT_BYTES = 8;

    private final ServerLimits limits;
    private final Predicate<InetAddress> isProxy;
    private final LongAdder refused = new LongAdder();
    private final ClientCap<ByteBuffer> inside;
    /** Accepted, and not yet reported by Vert.x: since when. */
    private final Map<Channel, Long> unopened = new ConcurrentHashMap<>();

    /** Whether listening channels stay open: from the start of the server until it closes. */
    private volatile boolean listens;

    Door(ServerLimits limits, Predicate<InetAddress> isProxy) {
        this.limits = limits;
        this.inside = new ClientCap<>(limits.connections(), limits.connectionsPerAddress());
        this.isProxy = isProxy;
    }

    /** How many are open, whatever they have got to. */
    int inside() {
        return (int) inside.held();
    }

    /** How many were closed because there were too many. */
    long refused() {
        return refused.sum();
    }

    /** On a listening channel, what is read are connections. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        ByteBuffer client = client(connection);
        if (!inside.tryHold(client, 1)) {
            refused.increment();
            connection.unsafe().closeForcibly();
            return;
        }
        unopened.put(connection, System.nanoTime());
        connection.closeFuture().addListener(closed -> {
            unopened.remove(connection);
            inside.release(client, 1);
        });
        context.fireChannelRead(connection);
    }

    /** A listening channel that fails or ends by itself would leave the process alive and deaf. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        FatalErrors.check(cause);
        context.fireExceptionCaught(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (listens) {
            FatalErrors.halt("a listening socket was closed by a failure");
        }
        context.fireChannelInactive();
    }

    /** From now on a listening channel that ends is a failure. */
    void started() {
        listens = true;
    }

    /** From now on listening channels may end. */
    void closing() {
        listens = false;
    }

    /** Vert.x has reported it: from now on the {@link Connections} of its event loop watch it. */
    void opened(Channel connection) {
        unopened.remove(connection);
    }

    /** Closes those that have not got as far as a first message in the time of a TLS handshake. */
    void sweep(long nowNanos) {
        unopened.forEach((connection, sinceNanos) -> {
            if (nowNanos - sinceNanos > limits.bodyTime().toNanos()) {
                ChannelFuture unused = connection.close();
            }
        });
    }

    /** Whom a connection counts for; null if it has no cap of its own. */
    @Nullable
    ByteBuffer client(Channel connection) {
        if (limits.connectionsPerAddress() >= limits.connections()
                || !(connection.remoteAddress() instanceof InetSocketAddress peer)
                || isProxy.test(peer.getAddress())) {
            return null;
        }
        byte[] address = peer.getAddress().getAddress();
        return ByteBuffer.wrap(address, 0, Math.min(address.length, IPV6_CLIENT_BYTES));
    }
}
