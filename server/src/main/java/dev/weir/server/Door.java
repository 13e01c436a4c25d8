package dev.weir.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where connections come in, and are counted from the moment the kernel hands them over: with TLS, Vert.x tells of one only
 * when its handshake is done, which a client that says nothing never does. One too many is closed at once.
 */
@Sharable
final class Door extends ChannelInboundHandlerAdapter implements Transport {
    private final int most;
    private final AtomicInteger inside = new AtomicInteger();

    Door(int most) {
        this.most = most;
    }

    /** How many are open, whatever they have got to. */
    int inside() {
        return inside.get();
    }

    /** On a listening channel, what is read are connections. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        if (inside.incrementAndGet() > most) {
            inside.decrementAndGet();
            connection.unsafe().closeForcibly();
            return;
        }
        connection.closeFuture().addListener(closed -> inside.decrementAndGet());
        context.fireChannelRead(connection);
    }

    @Override
    public String name() {
        return NIO.name();
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return null;
    }

    /** The usual one, with this at every listening channel. */
    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return new NioTransport() {
            @Override
            public void configure(NetServerOptions options, boolean isDomainSocket, ServerBootstrap bootstrap) {
                super.configure(options, isDomainSocket, bootstrap);
                bootstrap.handler(Door.this);
            }
        };
    }
}
