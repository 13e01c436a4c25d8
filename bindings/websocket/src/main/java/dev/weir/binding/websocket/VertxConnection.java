package dev.weir.binding.websocket;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.ServerWebSocket;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection of Vert.x, which queues all messages to send. To bound the memory, nothing is read from a client while
 * its queue is full. The connection is cut off if too much is queued all the same.
 */
final class VertxConnection implements Connection {
    /**
     * The most queued characters. Responses of the pipeline stay far below; beyond it are messages the application
     * sends.
     */
    private static final long MOST_UNSENT = 1 << 20;

    private final String id = UUID.randomUUID().toString();
    private final ServerWebSocket socket;
    private final HttpConnection transport;
    private final Context loop;
    private final String ip;
    private final Map<String, String> attributes;
    private final AtomicLong unsent = new AtomicLong();

    /** Guarded by this. Reading stops for either reason. */
    private boolean isPaused;

    private boolean isFull;

    VertxConnection(
            ServerWebSocket socket, HttpConnection transport, Context loop, String ip, Map<String, String> attributes) {
        this.socket = socket;
        this.transport = transport;
        this.loop = loop;
        this.ip = ip;
        this.attributes = attributes;
    }

    @Override
    public String id() {
        return id;
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
        return !socket.isClosed();
    }

    @Override
    public void send(String text) {
        if (socket.isClosed()) {
            return;
        }
        if (unsent.get() > MOST_UNSENT) {
            // Closes the transport, not the socket: a close frame would wait forever behind the messages that the
            // client does not read.
            transport.close();
            return;
        }
        unsent.addAndGet(text.length());
        socket.writeTextMessage(text).onComplete(sent -> unsent.addAndGet(-text.length()));
        if (socket.writeQueueFull()) {
            hold();
        }
    }

    /** Runs on the event loop, which drains the queue: an empty queue causes no drain event. */
    private void hold() {
        if (Vertx.currentContext() == loop) {
            holdWhileFull();
        } else {
            execute(this::holdWhileFull);
        }
    }

    private synchronized void holdWhileFull() {
        if (!isFull && !socket.isClosed() && socket.writeQueueFull()) {
            isFull = true;
            socket.drainHandler(drained -> drained());
            if (!isPaused) {
                socket.pause();
            }
        }
    }

    private synchronized void drained() {
        isFull = false;
        if (!isPaused) {
            socket.resume();
        }
    }

    @Override
    public synchronized void pause() {
        isPaused = true;
        if (!isFull) {
            socket.pause();
        }
    }

    @Override
    public synchronized void resume() {
        isPaused = false;
        if (!isFull) {
            socket.resume();
        }
    }

    @Override
    public void close(int code, String reason) {
        if (!socket.isClosed()) {
            socket.close((short) code, reason);
        }
    }

    @Override
    public void execute(Runnable task) {
        loop.runOnContext(now -> task.run());
    }
}
