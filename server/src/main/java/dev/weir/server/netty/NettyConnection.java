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

/** A connection of Vert.x, where its bytes are made into messages and back. Belongs to its event loop. */
public final class NettyConnection {
    private static final String DECODER = "httpDecoder";
    private static final String ENCODER = "httpEncoder";

    private final ConnectionBase connection;
    private final ChannelPipeline pipeline;

    private NettyConnection(ConnectionBase connection) {
        this.connection = connection;
        this.pipeline = connection.channel().pipeline();
    }

    /** The connection below this one; null if it has none of its own. */
    public static @Nullable NettyConnection of(HttpConnection connection) {
        return connection instanceof ConnectionBase base ? new NettyConnection(base) : null;
    }

    public Channel channel() {
        return pipeline.channel();
    }

    /** Ends it at once: Vert.x would wait until everything is sent, so it is not asked. */
    public void cut() {
        ChannelFuture unused = pipeline.firstContext().close();
    }

    public boolean isHttp2() {
        return http2() != null;
    }

    private @Nullable Http2ConnectionHandler http2() {
        return pipeline.get(Http2ConnectionHandler.class);
    }

    /** Refuses streams of HTTP/2 beyond {@link Http2Streams#MAX_STREAMS} at a time, and tells which have closed. */
    public void boundStreams(IntConsumer closed) {
        Http2ConnectionHandler handler = http2();
        if (handler != null) {
            Http2Streams.bound(handler.connection(), closed);
        }
    }

    /**
     * Reads HTTP/1 with this decoder, and puts a handler between it and Vert.x.
     *
     * @param between makes the handler, given where bytes that are encoded already enter the pipeline
     * @return false, with nothing done, if the codec is not where it should be: this is another version of Vert.x
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

    /** For a WebSocket: Vert.x takes any bytes for text, answers any number of pings, and loses frames it holds back. */
    public void beStrict() {
        String last = pipeline.lastContext().name();
        pipeline.addBefore(last, "utf8", new Utf8FrameValidator());
        pipeline.addBefore(last, "pings", new UnreadPongs());
        pipeline.addBefore(last, "own", new OwnFrames());
    }
}
