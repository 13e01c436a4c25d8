package dev.weir.example.hub;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The connections that are open: not too many, and each has to get somewhere. One that has not sent a whole request in
 * time is closed, however it drips its bytes. Belongs to the hub's event loop.
 */
final class ConnectionGuard {
    private final int most;
    private final Duration patience;
    /** When each last got somewhere. A WebSocket is not here: its session looks after it. */
    private final IdentityHashMap<HttpConnection, Long> sinceNanos = new IdentityHashMap<>();

    private int open;

    ConnectionGuard(int most, Duration patience) {
        this.most = most;
        this.patience = patience;
    }

    void opened(HttpConnection connection) {
        if (open >= most) {
            connection.close();
            return;
        }
        open++;
        sinceNanos.put(connection, System.nanoTime());
        connection.closeHandler(closed -> {
            open--;
            sinceNanos.remove(connection);
        });
    }

    /** A whole request is here. */
    void gotSomewhere(HttpConnection connection) {
        sinceNanos.replace(connection, System.nanoTime());
    }

    void isWebSocket(HttpConnection connection) {
        sinceNanos.remove(connection);
    }

    void closeLate() {
        long now = System.nanoTime();
        List<HttpConnection> late = new ArrayList<>();
        sinceNanos.forEach((connection, since) -> {
            if (now - since > patience.toNanos()) {
                late.add(connection);
            }
        });
        late.forEach(HttpConnection::close);
    }
}
