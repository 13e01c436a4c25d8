package dev.weir.binding.websocket;

import jakarta.websocket.CloseReason;
import jakarta.websocket.Session;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A session of a Jakarta WebSocket container. Sends one message at a time. */
final class JakartaConnection implements Connection {
    private static final Logger LOG = System.getLogger(JakartaConnection.class.getName());

    private final Session session;
    private final String ip;
    private final Map<String, String> attributes;
    /** A lock instead of a monitor: sending may block, and a monitor would pin a virtual thread. */
    private final ReentrantLock sending = new ReentrantLock();

    JakartaConnection(Session session, String ip, Map<String, String> attributes) {
        this.session = session;
        this.ip = ip;
        this.attributes = attributes;
    }

    @Override
    public String id() {
        return session.getId();
    }

    @Override
    public String ip() {
        return ip;
    }

    @Override
    public Map<String, String> attributes() {
        return attributes;
    }

    @Override
    public boolean isOpen() {
        return session.isOpen();
    }

    @Override
    public void send(String text) {
        sending.lock();
        try {
            if (session.isOpen()) {
                session.getBasicRemote().sendText(text);
            }
        } catch (IOException | IllegalStateException e) {
            // The client is gone or does not read. The container notifies the endpoint.
            LOG.log(Level.DEBUG, "a message could not be sent", e);
            close(CloseReason.CloseCodes.CLOSED_ABNORMALLY.getCode(), "");
        } finally {
            sending.unlock();
        }
    }

    @Override
    public void close(int code, String reason) {
        try {
            if (session.isOpen()) {
                session.close(
                        code == CloseReason.CloseCodes.CLOSED_ABNORMALLY.getCode()
                                ? new CloseReason(CloseReason.CloseCodes.UNEXPECTED_CONDITION, "")
                                : new CloseReason(CloseReason.CloseCodes.getCloseCode(code), reason));
            }
        } catch (IOException | IllegalStateException e) {
            LOG.log(Level.DEBUG, "a connection could not be closed", e);
        }
    }
}
