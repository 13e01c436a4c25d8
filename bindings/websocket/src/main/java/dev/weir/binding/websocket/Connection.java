package dev.weir.binding.websocket;

import java.util.Map;

/** A WebSocket connection, as a framework's adapter shows it. Safe for use by any thread. */
public interface Connection {

    /** A name that no other connection of this process has. */
    String id();

    /** The client's address, as {@link dev.weir.engine.Weir#clients} tells it. */
    String ip();

    /** What is known of the connection, such as its user and tenant. May grow while it lives. */
    Map<String, String> attributes();

    /** Whether messages can be sent. */
    boolean isOpen();

    /** Sends a text message; does nothing once it is closed. */
    void send(String text);

    /** Closes it; does nothing once it is closed. */
    void close(int code, String reason);

    /** Reads no more messages for now. */
    default void pause() {}

    /** Reads messages again. */
    default void resume() {}

    /** Runs something where messages are handled, such as on the connection's event loop. */
    default void execute(Runnable task) {
        task.run();
    }
}
