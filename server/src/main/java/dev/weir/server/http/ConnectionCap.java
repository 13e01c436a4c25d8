package dev.weir.server.http;

import dev.weir.server.ClientCap;
import dev.weir.server.ServerLimits;
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
 * Caps the number of connections of all listeners, in total and per client address. A connection counts from the
 * moment the kernel hands it over. Vert.x reports it only after the TLS handshake and, with HTTP/2, after the first
 * frame, which a silent client never sends. A connection above a cap is closed at once. One that is not reported in time
 * is closed, too.
 *
 * <p>An IPv6 address counts with its /64 network, which is what one client has. Trusted proxies have no cap per
 * address, because many clients come through one. The handler is installed on every listening channel. Thread-safe.
 */
@Sharable
public final class ConnectionCap extends ChannelInboundHandlerAdapter {
    private static final int IPV6_CLIENT_BYTES = 8;

    private final ServerLimits limits;
    private final Predicate<InetAddress> isProxy;
    private final LongAdder refused = new LongAdder();
    private final ClientCap<ByteBuffer> inside;
    /** Accepted connections that Vert.x has not reported yet, with the time of their acceptance. */
    private final Map<Channel, Long> unopened = new ConcurrentHashMap<>();

    /** Whether listening channels must stay open: from the start of the server until it closes. */
    private volatile boolean listens;

    public ConnectionCap(ServerLimits limits, Predicate<InetAddress> isProxy) {
        this.limits = limits;
        this.inside = new ClientCap<>(limits.connections(), limits.connectionsPerAddress());
        this.isProxy = isProxy;
    }

    /** Returns the number of open connections, including those that Vert.x has not reported. */
    int inside() {
        return (int) inside.held();
    }

    /** Returns how many connections were closed because of a cap. */
    public long refused() {
        return refused.sum();
    }

    /** On a listening channel, the messages read are accepted connections. */
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

    /** A listening channel that fails or closes unexpectedly would leave a process that runs and accepts nothing. */
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

    /** From now on, a listening channel that closes is a failure. */
    public void started() {
        listens = true;
    }

    /** From now on, listening channels may close. */
    void closing() {
        listens = false;
    }

    /**
     * The connection has sent its first message: from now on other timeouts apply, with HTTP those of the
     * {@link Connections} of its event loop.
     */
    public void opened(Channel connection) {
        unopened.remove(connection);
    }

    /** Closes connections that sent no first message within the time for a TLS handshake. */
    void sweep(long nowNanos) {
        unopened.forEach((connection, sinceNanos) -> {
            if (nowNanos - sinceNanos > limits.bodyTime().toNanos()) {
                ChannelFuture unused = connection.close();
            }
        });
    }

    /** Returns the address that a connection counts for; null if no cap per address applies. */
    public @Nullable ByteBuffer client(Channel connection) {
        if (limits.connectionsPerAddress() >= limits.connections()
                || !(connection.remoteAddress() instanceof InetSocketAddress peer)
                || isProxy.test(peer.getAddress())) {
            return null;
        }
        byte[] address = peer.getAddress().getAddress();
        return ByteBuffer.wrap(address, 0, Math.min(address.length, IPV6_CLIENT_BYTES));
    }
}
