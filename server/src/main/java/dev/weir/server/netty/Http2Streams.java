package dev.weir.server.netty;

import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.function.IntConsumer;

/**
 * Bounds the streams of one HTTP/2 connection, and reports each closed stream, however it closed. A stream above the
 * bound is refused (REFUSED_STREAM). Netty itself enforces the bound only after the client has acknowledged it, which a
 * hostile client never does.
 */
public final class Http2Streams extends Http2ConnectionAdapter {
    /** Maximum number of open streams. */
    public static final int MAX_STREAMS = 256;

    private final IntConsumer closed;

    private Http2Streams(IntConsumer closed) {
        this.closed = closed;
    }

    static void bound(Http2Connection connection, IntConsumer closed) {
        connection.remote().maxActiveStreams(MAX_STREAMS);
        connection.addListener(new Http2Streams(closed));
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        closed.accept(stream.id());
    }
}
