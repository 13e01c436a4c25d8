package dev.weir.server;

import dev.weir.engine.Weir;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What all event loops of one server share: the engine, and how the server does. */
final class Node {
    private static final int STATUSES = 600;

    private final Weir weir;
    private final Vertx vertx;
    private final Door door;
    private final Access access;
    private final Followers followers;
    private final InFlightMemory memory;
    private final LongAdder[] answers = new LongAdder[STATUSES];
    private final StartCheck startCheck = new StartCheck();
    final AtomicInteger sockets = new AtomicInteger();
    private volatile boolean draining;

    Node(Weir weir, Vertx vertx, Door door, Access access, Followers followers, ServerLimits limits) {
        this.weir = weir;
        this.vertx = vertx;
        this.door = door;
        this.access = access;
        this.followers = followers;
        this.memory = new InFlightMemory(limits.requestBytes());
        for (int i = 0; i < STATUSES; i++) {
            answers[i] = new LongAdder();
        }
    }

    Weir weir() {
        return weir;
    }

    Vertx vertx() {
        return vertx;
    }

    Access access() {
        return access;
    }

    Followers followers() {
        return followers;
    }

    Door door() {
        return door;
    }

    StartCheck startCheck() {
        return startCheck;
    }

    /** What requests and responses under way hold. */
    InFlightMemory memory() {
        return memory;
    }

    int connections() {
        return door.inside();
    }

    /** Whether it is about to go; it still answers. */
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

    long answered(int status) {
        return answers[status].sum();
    }

    /** How many answers had a status of this hundred: 2, 4, 5. */
    long answeredBy(int hundred) {
        long sum = 0;
        for (int status = hundred * 100; status < hundred * 100 + 100; status++) {
            sum += answers[status].sum();
        }
        return sum;
    }
}
