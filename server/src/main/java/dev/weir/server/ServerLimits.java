package dev.weir.server;

import java.time.Duration;

/**
 * How much a client may ask of the server itself.
 *
 * @param connections how many at a time, over all clients
 * @param idleTime how long a connection may be without a whole request
 * @param bodyTime how long a body may take, and a TLS handshake
 * @param headerBytes all headers of a request together
 * @param listeners how many may follow the events at a time
 */
public record ServerLimits(int connections, Duration idleTime, Duration bodyTime, int headerBytes, int listeners) {
    public static ServerLimits defaults() {
        return new ServerLimits(20_000, Duration.ofSeconds(60), Duration.ofSeconds(10), 16 * 1024, 100);
    }

    public ServerLimits withIdleTime(Duration newIdleTime) {
        return new ServerLimits(connections, newIdleTime, bodyTime, headerBytes, listeners);
    }

    public ServerLimits withBodyTime(Duration newBodyTime) {
        return new ServerLimits(connections, idleTime, newBodyTime, headerBytes, listeners);
    }

    public ServerLimits withConnections(int newConnections) {
        return new ServerLimits(newConnections, idleTime, bodyTime, headerBytes, listeners);
    }
}
