package dev.weir.server;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that all connections of the server hold for requests and responses under way, and their bound: what clients
 * send and do not finish, or ask for and do not read. One client has at most half of it, so that others are served.
 * Thread-safe.
 *
 * <p>An estimate of heap, not a measurement: callers count what they keep, with the space that a growing buffer takes.
 */
final class InFlightMemory {
    private final long mostBytes;
    private final AtomicLong heldBytes = new AtomicLong();
    private final Map<ByteBuffer, Long> byClient = new ConcurrentHashMap<>();

    InFlightMemory(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * Counts these bytes in if they fit.
     *
     * @param client whose they are; null if it has no bound of its own
     */
    boolean tryHold(@Nullable ByteBuffer client, long bytes) {
        long all = heldBytes.addAndGet(bytes);
        long own = client == null ? 0 : byClient.merge(client, bytes, Long::sum);
        if (all <= mostBytes && own <= mostBytes / 2) {
            return true;
        }
        release(client, bytes);
        return false;
    }

    void release(@Nullable ByteBuffer client, long bytes) {
        heldBytes.addAndGet(-bytes);
        if (client != null) {
            byClient.computeIfPresent(client, (key, held) -> held == bytes ? null : held - bytes);
        }
    }

    long heldBytes() {
        return heldBytes.get();
    }
}
