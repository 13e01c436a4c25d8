package dev.weir.server.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;

/** The default transport, with a handler on every listening channel; the messages it reads are accepted connections. */
public final class WatchedTransport implements Transport {
    private final ChannelHandler atListening;

    /** @param atListening the handler; must be sharable */
    public WatchedTransport(ChannelHandler atListening) {
        this.atListening = atListening;
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

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return new NioTransport() {
            @Override
            public void configure(NetServerOptions options, boolean isDomainSocket, ServerBootstrap bootstrap) {
                super.configure(options, isDomainSocket, bootstrap);
                bootstrap.handler(atListening);
            }
        };
    }
}
