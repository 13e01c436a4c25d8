package dev.weir.server;

import dev.weir.engine.json.Json;
import dev.weir.server.netty.BoundedDecoder;
import dev.weir.server.netty.NettyConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop, each of which has to get somewhere: a request within the idle time, a body within
 * the body time. Bytes alone do not count, so that a client that drips them is cut off like one that is silent.
 *
 * <p>Looked through once a second; a request costs one look at a clock that ticks with it.
 *
 * <p>A connection is in one of three states. While a body is on its way, the oldest one has to end within the body time,
 * whatever else the connection does. Otherwise, while a response streams (events, a WebSocket), no time applies here: the
 * stream has its own. Otherwise the next request has to come within the idle time.
 */
final class Connections {
    private final Node node;
    private final ServerLimits limits;
    private final LongSupplier clock;
    private final IdentityHashMap<HttpConnection, Watched> all = new IdentityHashMap<>();
    /** For one document at a time: of one event loop, it is of one thread. */
    private final Json scratch = new Json(1024);

    private long nowNanos;

    Connections(Node node, ServerLimits limits, LongSupplier clock) {
        this.node = node;
        this.limits = limits;
        this.clock = clock;
        this.nowNanos = clock.getAsLong();
    }

    /** A body that is on its way. */
    static final class PendingBody {
        private long sinceNanos;
    }

    /** One connection. */
    final class Watched implements BoundedDecoder.Memory {
        private final HttpConnection connection;
        private final @Nullable NettyConnection below;
        /** The address whose bound it counts towards; null where none applies. */
        private final @Nullable ByteBuffer client;

        private long sinceNanos = nowNanos;
        /** Those on their way, oldest first; with HTTP/2 several at a time. */
        private final ArrayDeque<PendingBody> bodies = new ArrayDeque<>(1);
        /** What is held for each HTTP/2 stream. */
        private final Map<Integer, Long> heldByStream = new HashMap<>(0);

        private long heldBytes;
        private int streams;
        /** Of the tokens that those streams came with. */
        private final List<BooleanSupplier> areTokensValid = new ArrayList<>(0);

        private boolean isClosed;

        private Watched(HttpConnection connection) {
            this.connection = connection;
            this.below = NettyConnection.of(connection);
            this.client = below == null ? null : node.door.client(below.channel());
        }

        void request() {
            sinceNanos = nowNanos;
        }

        void awaitBody(PendingBody body) {
            body.sinceNanos = nowNanos;
            bodies.addLast(body);
        }

        /** The body is here, or will never be. */
        void bodyEnds(PendingBody body) {
            if (bodies.remove(body)) {
                sinceNanos = nowNanos;
            }
        }

        /** Counts bytes that are kept for this connection; false if it, its client or all would hold too many. */
        @Override
        public boolean tryHold(long bytes) {
            if (isClosed || heldBytes + bytes > limits.connectionBytes() || !node.memory.tryHold(client, bytes)) {
                return false;
            }
            heldBytes += bytes;
            return true;
        }

        /** Gives back what was held; after the connection's end nothing is. */
        @Override
        public void release(long bytes) {
            if (!isClosed) {
                heldBytes -= bytes;
                node.memory.release(client, bytes);
            }
        }

        /** As {@link #tryHold}, until the stream closes. */
        boolean tryHoldForStream(int stream, long bytes) {
            if (!tryHold(bytes)) {
                return false;
            }
            heldByStream.merge(stream, bytes, Long::sum);
            return true;
        }

        void releaseStream(int stream) {
            Long bytes = heldByStream.remove(stream);
            if (bytes != null) {
                release(bytes);
            }
        }

        private void closed() {
            release(heldBytes);
            isClosed = true;
        }

        Json scratch() {
            return scratch;
        }

        /** Ends the connection at once: what is still to be sent is lost, since its client does not read it. */
        void cut() {
            if (below == null) {
                connection.close();
            } else {
                below.cut();
            }
        }

        /** The connection has become a WebSocket. */
        void beStrict() {
            if (below != null) {
                below.beStrict();
            }
        }

        /** A response streams from now on: the client may be silent, for as long as its token is valid. */
        void streamBegins(BooleanSupplier isTokenValid) {
            streams++;
            areTokensValid.add(isTokenValid);
        }

        void streamEnds(BooleanSupplier isTokenValid) {
            streams--;
            areTokensValid.remove(isTokenValid);
            sinceNanos = nowNanos;
        }

        @Override
        public ByteBuf refusal(ByteBufAllocator memory) {
            Problem busy = Exchange.busy();
            node.count(busy.status());
            return CheckAnswer.of(busy, Exchange.BUSY_WAIT, true, memory);
        }

        private boolean isLate() {
            PendingBody oldest = bodies.peekFirst();
            if (oldest != null) {
                return isOver(limits.bodyTime(), oldest.sinceNanos);
            }
            return streams == 0 && isOver(limits.idleTime(), sinceNanos);
        }

        private boolean isWithdrawn() {
            return !areTokensValid.stream().allMatch(BooleanSupplier::getAsBoolean);
        }

        private boolean isOver(Duration time, long fromNanos) {
            return nowNanos - fromNanos > time.toNanos();
        }
    }

    /** Takes a new connection, which the {@link Door} has let in. */
    void opened(HttpConnection connection, HttpServerOptions http) {
        Watched watched = new Watched(connection);
        all.put(connection, watched);
        NettyConnection below = watched.below;
        if (below != null) {
            node.door.opened(below.channel());
            bound(below, watched, http);
        }
        connection.closeHandler(closed -> {
            all.remove(connection);
            watched.closed();
        });
    }

    /** Without its bounds a connection is of no use. */
    private void bound(NettyConnection below, Watched watched, HttpServerOptions http) {
        if (below.isHttp2()) {
            below.boundStreams(watched::releaseStream);
            return;
        }
        boolean isBound =
                below.intercept(new BoundedDecoder(http, watched), encoder -> new CheckLane(node, watched, encoder));
        node.startCheck.complete(isBound);
        if (!isBound) {
            watched.cut();
        }
    }

    Watched of(HttpConnection connection) {
        Watched watched = all.get(connection);
        return watched == null ? new Watched(connection) : watched;
    }

    /** Closes connections that are late, and streams whose token was withdrawn. */
    void sweep() {
        nowNanos = clock.getAsLong();
        node.door.sweep(nowNanos);
        for (Watched watched : new ArrayList<>(all.values())) {
            if (watched.isLate() || watched.isWithdrawn()) {
                watched.cut();
            }
        }
    }
}
