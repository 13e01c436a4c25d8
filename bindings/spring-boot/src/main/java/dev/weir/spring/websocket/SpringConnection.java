package dev.weir.spring.websocket;

import dev.weir.binding.websocket.Connection;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;

/** A WebSocket session of Spring. */
final class SpringConnection implements Connection {
    private static final Logger LOG = System.getLogger(SpringConnection.class.getName());

    private final WebSocketSession session;
    private final PendingConnection arrival;

    /** @param session a session on which several threads may send */
    SpringConnection(WebSocketSession session, PendingConnection arrival) {
        this.session = session;
        this.arrival = arrival;
    }

    WebSocketSession session() {
        return session;
    }

    @Override
    public String id() {
        return session.getId();
    }

    @Override
    public String ip() {
        return arrival.ip();
    }

    @Override
    public Map<String, String> attributes() {
        return arrival.attributes();
    }

    @Override
    public boolean isOpen() {
        return session.isOpen();
    }

    @Override
    public void send(String text) {
        try {
            if (session.isOpen()) {
                session.sendMessage(new TextMessage(text));
            }
        } catch (IOException | RuntimeException e) {
            // The client is gone or does not read; then Spring has closed the session.
            LOG.log(Level.DEBUG, "a message could not be sent", e);
        }
    }

    @Override
    public void close(int code, String reason) {
        try {
            if (session.isOpen()) {
                session.close(new CloseStatus(code, reason));
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }
}
