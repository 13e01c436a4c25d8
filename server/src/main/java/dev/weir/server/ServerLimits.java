package dev.weir.server;

import java.time.Duration;

/**
 * Bounds on the server's own resources.
 *
 * @param connections connections at a time, of all clients together
 * @param connectionsPerAddress connections at a time from one address that is not a trusted proxy
 * @param idleTime how long a connection may stay without a complete request
 * @param bodyTime how long a body may take, and a TLS handshake
 * @param headerBytes size of all headers of a request together
 * @param requestBytes estimated bytes that all requests and responses in flight may hold together
 * @param connectionBytes estimated bytes that those of one connection may hold
 * @param listeners how many clients may follow events at a time
 */
public record ServerLimits(
        int connections,
        int connectionsPerAddress,
        Duration idleTime,
        Duration bodyTime,
        int headerBytes,
        long requestBytes,
        long connectionBytes,
        int listeners) {

    private static final int MOST_CONNECTIONS = 20_000;
    /** Heap for a silent connection, with a reserve for the rest of the process. */
    private static final long HEAP_PER_CONNECTION = 16 * 1024;

    private static final long HEAP_PER_TLS_CONNECTION = 64 * 1024;

    private static final long CONNECTION_BYTES = 2 << 20;

    public ServerLimits {
        if (connections < 1) {
            throw new IllegalArgumentException("max-connections is " + connections + "; it must be at least 1");
        }
        if (connectionsPerAddress < 1) {
            throw new IllegalArgumentException(
                    "max-connections-per-address is " + connectionsPerAddress + "; it must be at least 1");
        }
    }

    /** Returns bounds that fit the heap: at most 20,000 connections, a quarter of them from one address. */
    public static ServerLimits defaults() {
        return ofHeap(HEAP_PER_CONNECTION);
    }

    /** Returns the bounds with TLS, whose connections need more heap. */
    public static ServerLimits defaultsWithTls() {
        return ofHeap(HEAP_PER_TLS_CONNECTION);
    }

    private static ServerLimits ofHeap(long perConnection) {
        long heapBytes = Runtime.getRuntime().maxMemory();
        int connections = (int) Math.max(100, Math.min(MOST_CONNECTIONS, heapBytes / perConnection));
        return new ServerLimits(
                connections,
                connections / 4,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                16 * 1024,
                heapBytes / 4,
                CONNECTION_BYTES,
                100);
    }

    public ServerLimits withIdleTime(Duration newIdleTime) {
        return with(connections, connectionsPerAddress, newIdleTime, bodyTime);
    }

    public ServerLimits withBodyTime(Duration newBodyTime) {
        return with(connections, connectionsPerAddress, idleTime, newBodyTime);
    }

    /** Sets the cap on connections, in total and per address; {@link #withConnectionsPerAddress} changes the latter. */
    public ServerLimits withConnections(int newConnections) {
        return with(newConnections, newConnections, idleTime, bodyTime);
    }

    public ServerLimits withConnectionsPerAddress(int newConnections) {
        return with(connections, newConnections, idleTime, bodyTime);
    }

    public ServerLimits withRequestBytes(long newRequestBytes) {
        return new ServerLimits(
                connections,
                connectionsPerAddress,
                idleTime,
                bodyTime,
                headerBytes,
                newRequestBytes,
                connectionBytes,
                listeners);
    }

    private ServerLimits with(int newConnections, int perAddress, Duration newIdleTime, Duration newBodyTime) {
        return new ServerLimits(
                newConnections,
                perAddress,
                newIdleTime,
                newBodyTime,
                headerBytes,
                requestBytes,
                connectionBytes,
                listeners);
    }
}
