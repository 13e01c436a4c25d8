package dev.weir.server.http;

import dev.weir.engine.json.Json;
import dev.weir.server.ServerLimits;
import dev.weir.server.check.CheckAnswer;
import dev.weir.server.check.CheckFastPath;
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
 * The connections of one event loop, with their timeouts: a request must arrive within the idle time, a body within the
 * body time. Received bytes alone do not extend a timeout, so a client that sends single bytes is cut off like a silent
 * one.
 *
 * <p>A sweep once a second closes late connections. It also advances the clock that requests read, so a request makes
 * no system call for the time.
 *
 * <p>A connection is in one of three states. While a body is incomplete, the oldest one must end within the body time,
 * whatever else the connection does. Otherwise, while a response streams (events, a WebSocket), no timeout applies
 * here: the stream has its own. Otherwise the next request must arrive within the idle time.
 */
public final class Connections {
    /*
     * Implementation notes.
     *
     * Threads: everything here belongs to one event loop, including sweep(), so nothing is locked. Only the bounds
     * shared by all event loops (node.memory, the cap on connections) are thread-safe.
     *
     * Time: sweep() sets nowNanos once a second. All timeouts compare with it, so they are up to a second late.
     *
     * State of a connection, derived and not stored:
     *   reading    bodies is not empty: the first one, which is the oldest, must end within the body time
     *   streaming  bodies is empty and streams > 0: no timeout, but each stream's token must stay valid
     *   idle       otherwise: the next request must arrive within the idle time of sinceNanos
     * sinceNanos restarts with each request, and when a body or a stream ends. It does not restart with bytes.
     *
     * Memory: tryHold() reserves estimated bytes in three bounds: of the connection, of its client's address and of the
     * server. It reserves in all of them or in none. Each reservation is released once, by one of:
     *   release()        the caller is done (a body of HTTP/1.1, a header)
     *   releaseStream()  an HTTP/2 stream closed, however it did; heldByStream has what it reserved
     *   closed()         the connection ended: releases the rest, then sets isClosed
     * After that tryHold() fails and release() does nothing. So callbacks that run late cannot release twice.
     *
     * A connection whose pipeline could not be given its bounds is closed at once.
     */
    private final ServerState node;
    private final ServerLimits limits;
    private final LongSupplier clock;
    private final IdentityHashMap<HttpConnection, Watched> all = new IdentityHashMap<>();
    /** Reusable buffer for one document at a time. Safe without a lock because one event loop is one thread. */
    private final Json scratch = new Json(1024);

    private long nowNanos;

    public Connections(ServerState node, ServerLimits limits, LongSupplier clock) {
        this.node = node;
        this.limits = limits;
        this.clock = clock;
        this.nowNanos = clock.getAsLong();
    }

    /** An incomplete body, with the time at which it began. */
    public static final class PendingBody {
        private long sinceNanos;
    }

    /** One connection with its timeouts and its memory. */
    public final class Watched implements BoundedDecoder.MemoryBudget {
        private final HttpConnection connection;
        private final @Nullable NettyConnection below;
        /** The address whose memory bound applies; null if none does. */
        private final @Nullable ByteBuffer client;

        private long sinceNanos = nowNanos;
        /** Incomplete bodies, oldest first; with HTTP/2 there may be several. */
        private final ArrayDeque<PendingBody> bodies = new ArrayDeque<>(1);
        /** Bytes reserved for each HTTP/2 stream. */
        private final Map<Integer, Long> heldByStream = new HashMap<>(0);

        private long heldBytes;
        private int streams;
        /** Checks whether the tokens of the open streams are still valid. */
        private final List<BooleanSupplier> areTokensValid = new ArrayList<>(0);

        private boolean isClosed;

        private Watched(HttpConnection connection) {
            this.connection = connection;
            this.below = NettyConnection.of(connection);
            this.client = below == null ? null : node.connectionCap.client(below.channel());
        }

        public void request() {
            sinceNanos = nowNanos;
        }

        public void awaitBody(PendingBody body) {
            body.sinceNanos = nowNanos;
            bodies.addLast(body);
        }

        /** Ends a body: it is complete, refused or broken off. */
        public void bodyEnds(PendingBody body) {
            if (bodies.remove(body)) {
                sinceNanos = nowNanos;
            }
        }

        /** Reserves bytes for this connection; returns false if it, its client or the server would exceed a bound. */
        @Override
        public boolean tryHold(long bytes) {
            if (isClosed || heldBytes + bytes > limits.connectionBytes() || !node.memory.tryHold(client, bytes)) {
                return false;
            }
            heldBytes += bytes;
            return true;
        }

        /** Releases reserved bytes. Does nothing after the connection has ended, when all are released. */
        @Override
        public void release(long bytes) {
            if (!isClosed) {
                heldBytes -= bytes;
                node.memory.release(client, bytes);
            }
        }

        /** Like {@link #tryHold}, until the stream closes. */
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

        public Json scratch() {
            return scratch;
        }

        /** Closes the connection at once. Unsent data is lost, because the client does not read it. */
        public void cut() {
            if (below == null) {
                connection.close();
            } else {
                below.cut();
            }
        }

        /** Applies the bounds of a WebSocket after the upgrade. */
        public void limitFrames() {
            if (below != null) {
                below.limitFrames();
            }
        }

        /** Begins a streaming response: the client may stay silent for as long as its token is valid. */
        public void streamBegins(BooleanSupplier isTokenValid) {
            streams++;
            areTokensValid.add(isTokenValid);
        }

        public void streamEnds(BooleanSupplier isTokenValid) {
            streams--;
            areTokensValid.remove(isTokenValid);
            sinceNanos = nowNanos;
        }

        @Override
        public ByteBuf refusal(ByteBufAllocator memory) {
            ProblemException busy = Exchange.busy();
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

    /** Adds a new connection, which the {@link ConnectionCap} has admitted. */
    public void opened(HttpConnection connection, HttpServerOptions http) {
        Watched watched = new Watched(connection);
        all.put(connection, watched);
        NettyConnection below = watched.below;
        if (below != null) {
            node.connectionCap.opened(below.channel());
            bound(below, watched, http);
        }
        connection.closeHandler(closed -> {
            all.remove(connection);
            watched.closed();
        });
    }

    /** Installs the bounds of a connection; closes the connection if that fails. */
    private void bound(NettyConnection below, Watched watched, HttpServerOptions http) {
        if (below.isHttp2()) {
            below.boundStreams(watched::releaseStream);
            return;
        }
        boolean isBound = below.intercept(
                new BoundedDecoder(http, watched), encoder -> new CheckFastPath(node, watched, encoder));
        node.startCheck.complete(isBound);
        if (!isBound) {
            watched.cut();
        }
    }

    public Watched of(HttpConnection connection) {
        Watched watched = all.get(connection);
        return watched == null ? new Watched(connection) : watched;
    }

    /** Advances the clock, then closes late connections and those with a stream whose token was revoked. */
    public void sweep() {
        nowNanos = clock.getAsLong();
        node.connectionCap.sweep(nowNanos);
        for (Watched watched : new ArrayList<>(all.values())) {
            if (watched.isLate() || watched.isWithdrawn()) {
                watched.cut();
            }
        }
    }
}
