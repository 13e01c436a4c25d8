package dev.weir.server;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How much of something clients hold, with a bound for all together and one for each, so that no client takes everything:
 * connections, event streams, bytes of requests and responses under way. Thread-safe.
 *
 * <p>Bytes are an estimate of heap, not a measurement: callers count what they keep, with the space that a growing buffer
 * takes.
 *
 * @param <K> what tells clients apart
 */
final class ClientCap<K> {
    private final long most;
    private final long mostOfOne;
    private final AtomicLong held = new AtomicLong();
    private final Map<K, Long> byClient = new ConcurrentHashMap<>();

    ClientCap(long most, long mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /**
     * Counts so much in if it fits.
     *
     * @param client whose it is; null if it has no bound of its own
     */
    boolean tryHold(@Nullable K client, long amount) {
        long all = held.addAndGet(amount);
        long own = client == null ? 0 : byClient.merge(client, amount, Long::sum);
        if (all <= most && own <= mostOfOne) {
            return true;
        }
        release(client, amount);
        return false;
    }

    void release(@Nullable K client, long amount) {
        held.addAndGet(-amount);
        if (client != null) {
            byClient.computeIfPresent(client, (key, own) -> own == amount ? null : own - amount);
        }
    }

    long held() {
        return held.get();
    }

    long heldBy(K client) {
        return byClient.getOrDefault(client, 0L);
    }
}
