package dev.weir.server;

import dev.weir.engine.http.Json;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop, each of which has to get somewhere: a request within the idle time, a body within
 * the body time. Bytes alone do not count, so that a client that drips them is cut off like one that is silent.
 *
 * <p>Looked through once a second; a request costs one look at a clock that ticks with it.
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

    /** One connection. */
    final class Watched {
        private final HttpConnection connection;
        private long sinceNanos = nowNanos;
        /** Bodies that are on their way; with HTTP/2 several at a time. */
        private int bodies;

        private boolean streams;

        private Watched(HttpConnection connection) {
            this.connection = connection;
        }

        void request() {
            if (bodies == 0) {
                sinceNanos = nowNanos;
            }
        }

        void awaitBody() {
            bodies++;
        }

        void bodyIsHere() {
            bodies--;
            sinceNanos = nowNanos;
        }

        Json scratch() {
            return scratch;
        }

        /** Ends the connection at once: what is still to be sent is lost, since its client does not read it. */
        void cut() {
            ChannelPipeline pipeline = pipeline();
            if (pipeline == null) {
                connection.close();
            } else {
                // Vert.x would wait until everything is sent, so it is not asked.
                ChannelFuture unused = pipeline.firstContext().close();
            }
        }

        /** Where the connection's bytes are made into messages and back; null if it has none of its own. */
        @Nullable
        ChannelPipeline pipeline() {
            return connection instanceof ConnectionBase base ? base.channel().pipeline() : null;
        }

        /** From now on it may be silent for as long as it likes. */
        void streams() {
            streams = true;
        }

        private boolean isLate() {
            Duration patience = bodies > 0 ? limits.bodyTime() : limits.idleTime();
            return !streams && nowNanos - sinceNanos > patience.toNanos();
        }
    }

    /** Takes a new connection, which the {@link Door} has let in. */
    void opened(HttpConnection connection) {
        Watched watched = new Watched(connection);
        all.put(connection, watched);
        CheckLane.open(node, connection, watched);
        connection.closeHandler(closed -> all.remove(connection));
    }

    Watched of(HttpConnection connection) {
        Watched watched = all.get(connection);
        return watched == null ? new Watched(connection) : watched;
    }

    /** Closes those that are late. */
    void sweep() {
        nowNanos = clock.getAsLong();
        for (Watched watched : new ArrayList<>(all.values())) {
            if (watched.isLate()) {
                watched.cut();
            }
        }
    }
}
