package dev.weir.server;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * The bounds of one HTTP/2 connection's streams. A stream above the bound is refused (REFUSED_STREAM); Netty itself
 * enforces the bound only once the client has acknowledged it, which a hostile one never does. What a stream holds is
 * released when it closes, however it does.
 */
final class Http2Streams extends Http2ConnectionAdapter {
    /** How many may be open at a time. */
    static final int MAX_STREAMS = 256;

    private final Connections.Watched connection;

    private Http2Streams(Connections.Watched connection) {
        this.connection = connection;
    }

    /** Bounds the streams of a connection that speaks HTTP/2; leaves others alone. */
    static void bound(Connections.Watched connection) {
        ChannelPipeline pipeline = connection.pipeline();
        Http2ConnectionHandler handler = pipeline == null ? null : pipeline.get(Http2ConnectionHandler.class);
        if (handler != null) {
            Http2Connection http2 = handler.connection();
            http2.remote().maxActiveStreams(MAX_STREAMS);
            http2.addListener(new Http2Streams(connection));
        }
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        connection.releaseStream(stream.id());
    }
}
