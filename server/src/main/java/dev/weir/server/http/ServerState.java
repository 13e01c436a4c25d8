package dev.weir.server.http;

import dev.weir.engine.Weir;
import dev.weir.server.ClientCap;
import dev.weir.server.ServerLimits;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** State shared by all event loops of one server: the engine, and the server's counters and health. */
public final class ServerState {
    private static final int STATUSES = 600;

    public final Weir weir;
    public final Vertx vertx;
    public final ConnectionCap connectionCap;
    public final Access access;
    public final EventStreamCap followers;
    public final ServerIdentity identity;
    /** Estimated bytes held by requests and responses in flight. */
    public final ClientCap<ByteBuffer> memory;

    private final LongAdder[] answers = new LongAdder[STATUSES];
    public final StartupCheck startCheck = new StartupCheck();
    public final AtomicInteger sockets = new AtomicInteger();
    private volatile boolean draining;

    public ServerState(
            Weir weir,
            Vertx vertx,
            ConnectionCap connectionCap,
            Access access,
            EventStreamCap followers,
            ServerIdentity identity,
            ServerLimits limits) {
        this.weir = weir;
        this.vertx = vertx;
        this.connectionCap = connectionCap;
        this.access = access;
        this.followers = followers;
        this.identity = identity;
        this.memory = new ClientCap<>(limits.requestBytes(), limits.requestBytes() / 2);
        for (int i = 0; i < STATUSES; i++) {
            answers[i] = new LongAdder();
        }
    }

    public int connections() {
        return connectionCap.inside();
    }

    /** Returns whether the server is draining; it still responds. */
    public boolean isDraining() {
        return draining;
    }

    public void drain() {
        draining = true;
        connectionCap.closing();
    }

    public void count(int status) {
        answers[status].increment();
    }

    /** Returns the number of responses with a status of this class: 2, 4 or 5. */
    public long responsesByClass(int hundred) {
        long sum = 0;
        for (int status = hundred * 100; status < hundred * 100 + 100; status++) {
            sum += answers[status].sum();
        }
        return sum;
    }
}
