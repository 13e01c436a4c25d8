package dev.weir.engine.connection;

import dev.weir.Answer;
import dev.weir.engine.Hold;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.remote.Answers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counts open connections by the {@code concurrency} limits of the configuration: one is admitted at its handshake, in one
 * indivisible step, and holds its slot until it is released.
 *
 * <p>Slots are leases. They are renewed while this process lives; when it dies, they are free once their time has passed.
 * One {@link ConnectionLimits} serves all connections of an application. Closing it releases every slot.
 */
public final class ConnectionLimits implements AutoCloseable {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final Weir weir;
    private final Duration ttl;
    private final Set<ConnectionSlot> held = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService renewing;

    /** Slots of a dead process are free after half a minute. */
    public ConnectionLimits(Weir weir) {
        this(weir, TTL);
    }

    /** @param ttl when the slots of a dead process are free; they are renewed three times as often */
    public ConnectionLimits(Weir weir, Duration ttl) {
        this.weir = weir;
        this.ttl = ttl;
        this.renewing = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-connections");
            thread.setDaemon(true);
            return thread;
        });
        long period = Math.max(1, ttl.toMillis() / 3);
        var unused = renewing.scheduleWithFixedDelay(this::renewAll, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * Asks for a slot. The answer never fails: when the store does not answer, it is what the limits say to that.
     *
     * @param attributes of who connects, such as {@code user}, {@code plan} and {@code ip}
     */
    public Answer<ConnectionSlot> admit(Map<String, String> attributes) {
        Request request = Request.of(attributes);
        return Answers.map(weir.acquireAsync(request, ttl), hold -> slot(request, hold));
    }

    /** How many connections hold a slot here. */
    public int open() {
        return held.size();
    }

    private ConnectionSlot slot(Request request, Hold hold) {
        ConnectionSlot slot = new ConnectionSlot(weir, request, ttl, hold, held::remove);
        if (hold.granted()) {
            held.add(slot);
        }
        return slot;
    }

    /** Done three times in the life of a slot. */
    void renewAll() {
        held.forEach(ConnectionSlot::renew);
    }

    @Override
    public void close() {
        renewing.shutdownNow();
        held.forEach(ConnectionSlot::release);
    }
}
