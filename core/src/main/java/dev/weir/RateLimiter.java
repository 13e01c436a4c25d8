package dev.weir;

import dev.weir.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One limit for many keys: the simplest entry point to the library.
 *
 * <pre>{@code
 * RateLimiter limiter = RateLimiter.of(TokenBucket.perMinute(60));
 * if (limiter.tryConsume("alice")) {
 *     serve();
 * }
 * }</pre>
 *
 * <p>A null key throws a {@link NullPointerException} that names the argument. Safe for use by any number of threads.
 * On the memory store {@code tryConsume} takes no lock and allocates nothing.
 */
public final class RateLimiter implements AutoCloseable {
    private static final String NO_KEY = "key is null; it must name the subject of the budget";

    private final Store store;
    private final boolean ownsStore;
    private final String name;
    private final Policy policy;
    private final Duration storeTimeout;
    private final long nameHash;
    private final DirectStore.@Nullable FastPath fastPath;
    private final WaiterQueue waiters = new WaiterQueue();

    private RateLimiter(Store store, boolean ownsStore, String name, Policy policy, Duration storeTimeout) {
        Objects.requireNonNull(store, "store is null");
        Objects.requireNonNull(name, "name is null; it keeps this limiter's keys apart from others'");
        Objects.requireNonNull(policy, "policy is null");
        if (policy instanceof Concurrency) {
            throw new ArgumentException(
                    "policy",
                    "slots are held by leases, not spent by a rate limiter; use Store.acquire and Store.release");
        }
        this.store = store;
        this.ownsStore = ownsStore;
        this.name = name;
        this.policy = policy;
        this.storeTimeout = storeTimeout;
        this.nameHash = KeyHash.of(name);
        this.fastPath = store instanceof DirectStore direct ? direct.fastPath(policy) : null;
    }

    /** A limiter on a memory store of its own. */
    public static RateLimiter of(Policy policy) {
        MemoryStore store = MemoryStore.create();
        return new RateLimiter(store, true, "limiter", policy, store.deadline());
    }

    /**
     * A limiter on a shared store. A call that the store does not complete within {@link Store#deadline()} fails.
     *
     * @param name separates this limiter's keys from others in the same store
     */
    public static RateLimiter on(Store store, String name, Policy policy) {
        return on(
                store,
                name,
                policy,
                Objects.requireNonNull(store, "store is null").deadline());
    }

    /**
     * A limiter on a shared store.
     *
     * @param name separates this limiter's keys from others in the same store
     * @param storeTimeout how long a call of the store may take before it fails
     */
    public static RateLimiter on(Store store, String name, Policy policy, Duration storeTimeout) {
        return new RateLimiter(store, false, name, policy, storeTimeout);
    }

    public Policy policy() {
        return policy;
    }

    /** Spends one from the key's budget if it fits. */
    public boolean tryConsume(String key) {
        Objects.requireNonNull(key, NO_KEY);
        return waiters.isFree(key) && take(key, 1);
    }

    /**
     * Spends {@code cost} from the key's budget if it fits. A cost above the capacity never fits; {@link #charge}
     * distinguishes the two cases.
     *
     * @throws IllegalArgumentException if the cost is below 1
     * @throws StoreException if the store failed
     */
    public boolean tryConsume(String key, long cost) {
        Charge.checkCost(cost);
        Objects.requireNonNull(key, NO_KEY);
        return waiters.isFree(key) && take(key, cost);
    }

    /** Spends {@code cost} from the key's budget if it fits, and returns what is left or how long to wait. */
    public Reading charge(String key, long cost) {
        return store.consume(List.of(chargeOf(key, cost))).await(storeTimeout).reading(0);
    }

    /** The reading that spending one would return; spends nothing. */
    public Reading peek(String key) {
        return store.peek(List.of(chargeOf(key, 1))).await(storeTimeout).reading(0);
    }

    /**
     * Spends {@code cost}, and waits for it if necessary. The callers of one key are served in order of arrival, and
     * {@code tryConsume} does not overtake them. Returns false as soon as it is clear that the deadline cannot be met,
     * and always for {@link Policy#closed()}.
     *
     * @throws IllegalArgumentException if the cost is below 1, or above the capacity, so that no wait is long enough
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is spent then
     */
    public boolean consume(String key, long cost, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(timeout, "timeout is null; Duration.ZERO does not wait");
        if (tryConsume(key, cost)) {
            return true;
        }
        checkFits(cost);
        return waiters.consume(key, timeout, () -> charge(key, cost));
    }

    /** The limiter for one key that is used often. */
    public KeyLimiter forKey(String key) {
        Objects.requireNonNull(key, NO_KEY);
        return fastPath == null ? new AnyKeyLimiter(this, key) : fastPath.forKey(Key.of(name, key), waiters);
    }

    /** Resets the key's budget to full. */
    public void reset(String key) {
        Objects.requireNonNull(key, NO_KEY);
        store.reset(List.of(Key.of(name, key))).await(storeTimeout);
    }

    /** Closes the store if it is the limiter's own. */
    @Override
    public void close() {
        if (ownsStore) {
            store.close();
        }
    }

    private boolean take(String key, long cost) {
        return fastPath != null
                ? fastPath.tryConsume(nameHash, key, cost)
                : charge(key, cost) instanceof Reading.Admitted;
    }

    /** A closed limiter refuses every cost, which is not an error of the caller. */
    private void checkFits(long cost) {
        long capacity = policy.capacity();
        if (cost > capacity && capacity > 0) {
            throw new ArgumentException(
                    "cost",
                    "cost is " + cost + ", above the capacity of " + capacity
                            + ", so that waiting does not help; it must be at most " + capacity);
        }
    }

    private Charge chargeOf(String key, long cost) {
        Objects.requireNonNull(key, NO_KEY);
        return new Charge(Key.of(name, key), policy, cost);
    }

    /** The limiter for one key on a store that has no fast path. */
    private record AnyKeyLimiter(RateLimiter limiter, String key) implements KeyLimiter {
        @Override
        public boolean tryConsume() {
            return limiter.tryConsume(key);
        }

        @Override
        public boolean tryConsume(long cost) {
            return limiter.tryConsume(key, cost);
        }

        @Override
        public Reading peek() {
            return limiter.peek(key);
        }
    }
}
