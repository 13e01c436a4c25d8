package dev.weir.spring.websocket;

import dev.weir.engine.connection.ConnectionSlot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An admitted handshake. The connection takes over its slot, or the slot is released; either happens once. */
final class PendingConnection {
    /** The name of the attribute, of the session and of the handshake's request, that holds it. */
    static final String NAME = "dev.weir.arrival";

    private final ConnectionSlot slot;
    private final String ip;
    private final Map<String, String> attributes;
    private final AtomicBoolean isTaken = new AtomicBoolean();

    PendingConnection(ConnectionSlot slot, String ip, Map<String, String> attributes) {
        this.slot = slot;
        this.ip = ip;
        this.attributes = new ConcurrentHashMap<>(attributes);
    }

    static @Nullable PendingConnection of(Map<String, Object> attributes) {
        return attributes.get(NAME) instanceof PendingConnection arrival ? arrival : null;
    }

    String ip() {
        return ip;
    }

    /** The attributes of the connection. Entries may be added while it is open. */
    Map<String, String> attributes() {
        return attributes;
    }

    /** Returns the slot to the first caller; null if it was taken or released before. */
    @Nullable
    ConnectionSlot take() {
        return isTaken.compareAndSet(false, true) ? slot : null;
    }

    /** Releases the slot if no connection has taken it. */
    void forget() {
        ConnectionSlot unclaimed = take();
        if (unclaimed != null) {
            unclaimed.release();
        }
    }
}
