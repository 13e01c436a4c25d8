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
 * Counts open connections under the {@code concurrency} limits of the configuration. A connection is admitted at its
 * handshake, atomically, and holds its slot until it is released.
 *
 * <p>Slots are leases. They are renewed while this process lives; when it dies, they expire. One {@link
 * ConnectionLimits} serves all connections of an application. Closing it releases every slot.
 */
public final class ConnectionLimits implements AutoCloseable {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final Weir weir;
    private final Duration ttl;
    private final Set<ConnectionSlot> held = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService renewing;

    /** Slots of a dead process expire after 30 s. */
    public ConnectionLimits(Weir weir) {
        this(weir, TTL);
    }

    /** @param ttl when the slots of a dead process expire; slots are renewed three times within it */
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
     * Requests a slot. The answer never fails: if the store does not answer, each limit's {@code on-store-failure}
     * decides.
     *
     * @param attributes of the connecting client, such as {@code user}, {@code plan} and {@code ip}
     */
    public Answer<ConnectionSlot> admit(Map<String, String> attributes) {
        Request request = Request.of(attributes);
        return Answers.map(weir.acquireAsync(request, ttl), hold -> slot(request, hold));
    }

    /** The number of connections that hold a slot in this process. */
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

    /** Renews all slots; called three times within the ttl of a slot. */
    void renewAll() {
        held.forEach(ConnectionSlot::renew);
    }

    @Override
    public void close() {
        renewing.shutdownNow();
        held.forEach(ConnectionSlot::release);
    }
}
