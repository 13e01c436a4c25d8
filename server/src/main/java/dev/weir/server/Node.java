package dev.weir.server;

import dev.weir.engine.Weir;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** State shared by all event loops of one server: the engine, and the server's counters and health. */
final class Node {
    private static final int STATUSES = 600;

    final Weir weir;
    final Vertx vertx;
    final Door door;
    final Access access;
    final Followers followers;
    /** Estimated bytes held by requests and responses in flight. */
    final ClientCap<ByteBuffer> memory;

    private final LongAdder[] answers = new LongAdder[STATUSES];
    final StartCheck startCheck = new StartCheck();
    final AtomicInteger sockets = new AtomicInteger();
    private volatile boolean draining;

    Node(Weir weir, Vertx vertx, Door door, Access access, Followers followers, ServerLimits limits) {
        this.weir = weir;
        this.vertx = vertx;
        this.door = door;
        this.access = access;
        this.followers = followers;
        this.memory = new ClientCap<>(limits.requestBytes(), limits.requestBytes() / 2);
        for (int i = 0; i < STATUSES; i++) {
            answers[i] = new LongAdder();
        }
    }

    int connections() {
        return door.inside();
    }

    /** Returns whether the server is draining; it still responds. */
    boolean isDraining() {
        return draining;
    }

    void drain() {
        draining = true;
        door.closing();
    }

    void count(int status) {
        answers[status].increment();
    }

    /** Returns the number of responses with a status of this class: 2, 4 or 5. */
    long answeredBy(int hundred) {
        long sum = 0;
        for (int status = hundred * 100; status < hundred * 100 + 100; status++) {
            sum += answers[status].sum();
        }
        return sum;
    }
}
