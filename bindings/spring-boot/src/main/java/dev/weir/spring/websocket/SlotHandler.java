package dev.weir.spring.websocket;

import dev.weir.engine.connection.ConnectionSlot;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;

/** Holds the slot of each connection while it is open, and releases it however the connection ends. */
final class SlotHandler extends WebSocketHandlerDecorator {
    private static final Logger LOG = System.getLogger(SlotHandler.class.getName());
    private static final CloseStatus LOST = new CloseStatus(1013, "the limit on connections is reached");
    private static final CloseStatus UNLIMITED = new CloseStatus(1011, "the handshake was not limited");

    private final boolean isRequired;
    /** By session id. */
    private final Map<String, ConnectionSlot> held = new ConcurrentHashMap<>();

    /** @param isRequired whether a connection whose handshake took no slot is closed, or left alone */
    SlotHandler(WebSocketHandler delegate, boolean isRequired) {
        super(delegate);
        this.isRequired = isRequired;
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) throws Exception {
        PendingConnection arrival = PendingConnection.of(session.getAttributes());
        if (arrival == null && !isRequired) {
            super.afterConnectionEstablished(session);
            return;
        }
        ConnectionSlot slot = arrival == null ? null : arrival.take();
        if (slot == null) {
            LOG.log(
                    Level.ERROR,
                    "a WebSocket came past the limits on connections and is closed; add WeirWebSockets.handshake() to"
                            + " the interceptors of its endpoint");
            session.close(UNLIMITED);
            return;
        }
        held.put(session.getId(), slot);
        slot.whenLost(() -> close(session));
        super.afterConnectionEstablished(session);
    }

    @Override
    public void handleMessage(WebSocketSession session, WebSocketMessage<?> message) throws Exception {
        if (isOpen(session)) {
            super.handleMessage(session, message);
        }
    }

    @Override
    public void handleTransportError(WebSocketSession session, Throwable failure) throws Exception {
        if (isOpen(session)) {
            super.handleTransportError(session, failure);
        }
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) throws Exception {
        boolean wasOpen = isOpen(session);
        ConnectionSlot slot = held.remove(session.getId());
        if (slot != null) {
            slot.release();
        }
        if (wasOpen) {
            super.afterConnectionClosed(session, status);
        }
    }

    /** Whether the handler knows the session. */
    private boolean isOpen(WebSocketSession session) {
        return held.containsKey(session.getId())
                || (!isRequired && PendingConnection.of(session.getAttributes()) == null);
    }

    private static void close(WebSocketSession session) {
        try {
            session.close(LOST);
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }
}
