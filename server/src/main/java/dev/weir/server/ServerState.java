package dev.weir.server;

import dev.weir.engine.Weir;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** State shared by all event loops of one server: the engine, and the server's counters and health. */
final class ServerState {
    private static final int STATUSES = 600;

    final Weir weir;
    final Vertx vertx;
    final ConnectionCap connectionCap;
    final Access access;
    final EventStreamCap followers;
    /** Estimated bytes held by requests and responses in flight. */
    final ClientCap<ByteBuffer> memory;

    private final LongAdder[] answers = new LongAdder[STATUSES];
    final StartupCheck startCheck = new StartupCheck();
    final AtomicInteger sockets = new AtomicInteger();
    private volatile boolean draining;

    ServerState(
            Weir weir,
            Vertx vertx,
            ConnectionCap connectionCap,
            Access access,
            EventStreamCap followers,
            ServerLimits limits) {
        this.weir = weir;
        this.vertx = vertx;
        this.connectionCap = connectionCap;
        this.access = access;
        this.followers = followers;
        this.memory = new ClientCap<>(limits.requestBytes(), limits.requestBytes() / 2);
        for (int i = 0; i < STATUSES; i++) {
            answers[i] = new LongAdder();
        }
    }

    int connections() {
        return connectionCap.inside();
    }

    /** Returns whether the server is draining; it still responds. */
    boolean isDraining() {
        return draining;
    }

    void drain() {
        draining = true;
        connectionCap.closing();
    }

    void count(int status) {
        answers[status].increment();
    }

    /** Returns the number of responses with a status of this class: 2, 4 or 5. */
    long responsesByClass(int hundred) {
        long sum = 0;
        for (int status = hundred * 100; status < hundred * 100 + 100; status++) {
            sum += answers[status].sum();
        }
        return sum;
    }
}
