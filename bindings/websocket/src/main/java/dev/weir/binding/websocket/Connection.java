package dev.weir.binding.websocket;

import java.util.Map;

/** A WebSocket connection, as the adapter of a framework provides it. Thread-safe. */
public interface Connection {

    /** An id that is unique within this process. */
    String id();

    /** The client's address, as {@link dev.weir.engine.Weir#clients} determines it. */
    String ip();

    /** The attributes of the connection, such as its user and tenant. Entries may be added while it is open. */
    Map<String, String> attributes();

    /** Whether messages can be sent. */
    boolean isOpen();

    /** Sends a text message. Does nothing if the connection is closed. */
    void send(String text);

    /** Closes the connection. Does nothing if it is closed. */
    void close(int code, String reason);

    /** Stops reading messages until {@link #resume}. */
    default void pause() {}

    /** Continues reading messages. */
    default void resume() {}

    /** Runs a task where messages are handled, such as on the connection's event loop. */
    default void execute(Runnable task) {
        task.run();
    }
}
