package dev.weir.server;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts a resource that clients hold, with a bound for all clients together and one for each, so that no client takes
 * everything. The resources are connections, event streams, and bytes of requests and responses in flight. Thread-safe.
 *
 * <p>Bytes are an estimate of heap use. Callers count what they keep, including the spare capacity of growing buffers.
 *
 * @param <K> the identity of a client
 */
public final class ClientCap<K> {
    private final long most;
    private final long mostOfOne;
    private final AtomicLong held = new AtomicLong();
    private final Map<K, Long> byClient = new ConcurrentHashMap<>();

    public ClientCap(long most, long mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /**
     * Adds the amount if it fits; returns false otherwise.
     *
     * @param client the client that holds it; null if no bound per client applies
     */
    public boolean tryHold(@Nullable K client, long amount) {
        long all = held.addAndGet(amount);
        long own = client == null ? 0 : byClient.merge(client, amount, Long::sum);
        if (all <= most && own <= mostOfOne) {
            return true;
        }
        release(client, amount);
        return false;
    }

    public void release(@Nullable K client, long amount) {
        held.addAndGet(-amount);
        if (client != null) {
            byClient.computeIfPresent(client, (key, own) -> own == amount ? null : own - amount);
        }
    }

    public long held() {
        return held.get();
    }

    public long heldBy(K client) {
        return byClient.getOrDefault(client, 0L);
    }
}
