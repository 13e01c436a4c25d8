package dev.weir.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that all connections of the server hold for requests and responses under way, and their bound: what clients
 * send and do not finish, or ask for and do not read. Thread-safe.
 *
 * <p>An estimate of heap, not a measurement: callers count what they keep, with the space that a growing buffer takes.
 */
final class InFlightMemory {
    private final long mostBytes;
    private final AtomicLong heldBytes = new AtomicLong();

    InFlightMemory(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Counts these bytes in if they fit. */
    boolean tryHold(long bytes) {
        if (heldBytes.addAndGet(bytes) <= mostBytes) {
            return true;
        }
        heldBytes.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    long heldBytes() {
        return heldBytes.get();
    }
}
