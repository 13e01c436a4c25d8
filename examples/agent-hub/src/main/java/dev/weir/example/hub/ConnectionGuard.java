package dev.weir.example.hub;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Bounds the open connections and closes idle ones. A connection without a complete request in time is closed, however
 * slowly its bytes arrive. Confined to the hub's event loop.
 */
final class ConnectionGuard {
    private final int most;
    private final Duration timeouts;
    /** When each connection last completed a request. WebSockets are not included; their sessions monitor them. */
    private final IdentityHashMap<HttpConnection, Long> sinceNanos = new IdentityHashMap<>();

    private int open;

    ConnectionGuard(int most, Duration timeouts) {
        this.most = most;
        this.timeouts = timeouts;
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

    /** Records that a complete request has arrived. */
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
            if (now - since > timeouts.toNanos()) {
                late.add(connection);
            }
        });
        late.forEach(HttpConnection::close);
    }
}
