package dev.weir.server.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The Netty channel of a Vert.x connection, for access to its codec. Belongs to its event loop. */
public final class NettyConnection {
    private static final String DECODER = "httpDecoder";
    private static final String ENCODER = "httpEncoder";

    private final ConnectionBase connection;
    private final ChannelPipeline pipeline;

    private NettyConnection(ConnectionBase connection) {
        this.connection = connection;
        this.pipeline = connection.channel().pipeline();
    }

    /** Returns the Netty connection of this one; null if it has none of its own. */
    public static @Nullable NettyConnection of(HttpConnection connection) {
        return connection instanceof ConnectionBase base ? new NettyConnection(base) : null;
    }

    public Channel channel() {
        return pipeline.channel();
    }

    /** Closes the channel at once. Vert.x would first wait until everything is sent. */
    public void cut() {
        ChannelFuture unused = pipeline.firstContext().close();
    }

    public boolean isHttp2() {
        return http2() != null;
    }

    private @Nullable Http2ConnectionHandler http2() {
        return pipeline.get(Http2ConnectionHandler.class);
    }

    /** Refuses HTTP/2 streams beyond {@link Http2Streams#MAX_STREAMS} at a time, and reports closed streams. */
    public void boundStreams(IntConsumer closed) {
        Http2ConnectionHandler handler = http2();
        if (handler != null) {
            Http2Streams.bound(handler.connection(), closed);
        }
    }

    /**
     * Replaces the HTTP/1 decoder, and inserts a handler between it and Vert.x.
     *
     * @param between creates the handler, given the context at which encoded bytes enter the pipeline
     * @return false, with nothing changed, if the codec is not where it is expected: another version of Vert.x
     */
    public boolean intercept(ChannelHandler decoder, Function<ChannelHandlerContext, ChannelHandler> between) {
        ChannelHandlerContext encoder = pipeline.context(ENCODER);
        if (encoder == null || pipeline.get(DECODER) == null) {
            return false;
        }
        pipeline.replace(DECODER, DECODER, decoder);
        pipeline.addBefore(connection.channelHandlerContext().name(), "checkLane", between.apply(encoder));
        return true;
    }

    /**
     * Adds the bounds for a WebSocket: Vert.x accepts invalid UTF-8, replies to any number of pings, and leaks paused
     * frames.
     */
    public void limitFrames() {
        String last = pipeline.lastContext().name();
        pipeline.addBefore(last, "utf8", new Utf8FrameValidator());
        pipeline.addBefore(last, "pings", new PingBackpressure());
        pipeline.addBefore(last, "own", new FrameCopier());
    }
}
