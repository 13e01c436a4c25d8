package dev.weir.binding.websocket;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.ServerWebSocket;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection of Vert.x, which queues whatever it is told to send. So that a client which does not read cannot fill the
 * memory, nothing is read from it while the queue is full, and it is cut off when too much waits all the same.
 */
final class VertxConnection implements Connection {
    /** In characters. The pipeline's own answers stop far below that: beyond it is what the application sends unasked. */
    private static final long MOST_UNSENT = 1 << 20;

    private final String id = UUID.randomUUID().toString();
    private final ServerWebSocket socket;
    private final HttpConnection transport;
    private final Context loop;
    private final String ip;
    private final Map<String, String> attributes;
    private final AtomicLong unsent = new AtomicLong();

    /** Guarded by this. Either is a reason not to read. */
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
            // Not the socket: its goodbye would wait for ever behind all that the client does not read.
            transport.close();
            return;
        }
        unsent.addAndGet(text.length());
        socket.writeTextMessage(text).onComplete(sent -> unsent.addAndGet(-text.length()));
        if (socket.writeQueueFull()) {
            hold();
        }
    }

    /** On the event loop, where the queue is emptied: nobody is told of a queue that is empty already. */
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
