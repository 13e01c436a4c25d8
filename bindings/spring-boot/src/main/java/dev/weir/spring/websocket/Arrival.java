package dev.weir.spring.websocket;

import dev.weir.engine.connection.ConnectionSlot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Who connects, from the handshake on: its slot, which is taken over by the connection or given back, once. */
final class Arrival {
    /** The attribute of a session, and of its handshake's request, where it is. */
    static final String NAME = "dev.weir.arrival";

    private final ConnectionSlot slot;
    private final String ip;
    private final Map<String, String> attributes;
    private final AtomicBoolean isTaken = new AtomicBoolean();

    Arrival(ConnectionSlot slot, String ip, Map<String, String> attributes) {
        this.slot = slot;
        this.ip = ip;
        this.attributes = new ConcurrentHashMap<>(attributes);
    }

    static @Nullable Arrival of(Map<String, Object> attributes) {
        return attributes.get(NAME) instanceof Arrival arrival ? arrival : null;
    }

    String ip() {
        return ip;
    }

    /** What is known of the connection; may grow while it lives. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** The slot, for who is first to ask; null if it was given back before. */
    @Nullable
    ConnectionSlot take() {
        return isTaken.compareAndSet(false, true) ? slot : null;
    }

    /** Gives the slot back if no connection has taken it. */
    void forget() {
        ConnectionSlot unclaimed = take();
        if (unclaimed != null) {
            unclaimed.release();
        }
    }
}
