package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A contestant's limiter for many keys; each key has a {@link BudgetSize#DEEP} budget. */
sealed interface KeyedLimiter
        permits OpenTable,
                KeyedLimiter.Weir,
                KeyedLimiter.MapOfLongs,
                KeyedLimiter.MapOfBuckets,
                KeyedLimiter.Registry {

    /** Returns the limiter with this name, which is also its benchmark's, sized for so many keys. */
    static KeyedLimiter of(String name, int keys) {
        return switch (name) {
            case "openTable" -> new OpenTable(keys, BudgetSize.DEEP);
            case "weir" -> new Weir();
            case "mapOfLongs" -> new MapOfLongs();
            case "mapOfBuckets" -> new MapOfBuckets();
            case "registry" -> new Registry();
            default -> throw new IllegalArgumentException("no limiter is called '" + name + "'");
        };
    }

    /** Spends one unit. */
    default boolean tryConsume(String key) {
        return tryConsume(key, 1);
    }

    boolean tryConsume(String key, int cost);

    /** The number of keys that it holds. */
    long size();

    final class Weir implements KeyedLimiter {
        private static final int MAX_ENTRIES = 20_000_000;

        private final MemoryStore store =
                MemoryStore.create(MemoryStoreOptions.defaults().maxEntries(MAX_ENTRIES));
        private final dev.weir.RateLimiter limiter = dev.weir.RateLimiter.on(store, "keys", BudgetSize.DEEP.forWeir());

        @Override
        public long size() {
            return store.entries();
        }

        @Override
        public boolean tryConsume(String key) {
            return limiter.tryConsume(key);
        }

        @Override
        public boolean tryConsume(String key, int cost) {
            return limiter.tryConsume(key, cost);
        }
    }

    /** The obvious implementation by hand. */
    final class MapOfLongs implements KeyedLimiter {
        private final long origin = System.nanoTime() - 1;
        private final long price = BudgetSize.DEEP.nanosPerToken();
        private final long bucket = BudgetSize.DEEP.nanosPerBucket();
        private final ConcurrentHashMap<String, AtomicLong> states = new ConcurrentHashMap<>();

        @Override
        public boolean tryConsume(String key, int cost) {
            long now = System.nanoTime() - origin;
            AtomicLong state = states.get(key);
            if (state == null) {
                state = states.computeIfAbsent(key, absent -> new AtomicLong());
            }
            while (true) {
                long present = state.get();
                long next = Gcra.next(present, now, cost * price, bucket);
                if (next == Gcra.REFUSED) {
                    return false;
                }
                if (state.compareAndSet(present, next)) {
                    return true;
                }
            }
        }

        @Override
        public long size() {
            return states.size();
        }
    }

    /** The recommendation of Bucket4j's guides for many keys in one process. */
    final class MapOfBuckets implements KeyedLimiter {
        private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();

        @Override
        public boolean tryConsume(String key, int cost) {
            Bucket bucket = buckets.get(key);
            if (bucket == null) {
                bucket = buckets.computeIfAbsent(key, absent -> Peers.bucket4j(BudgetSize.DEEP));
            }
            return bucket.tryConsume(cost);
        }

        @Override
        public long size() {
            return buckets.size();
        }
    }

    final class Registry implements KeyedLimiter {
        private final RateLimiterRegistry registry = RateLimiterRegistry.of(Peers.resilience4jConfig(BudgetSize.DEEP));

        @Override
        public boolean tryConsume(String key, int cost) {
            return registry.rateLimiter(key).acquirePermission(cost);
        }

        @Override
        public long size() {
            return registry.getAllRateLimiters().size();
        }
    }

    /** Spends from every key, so that none is full for a while. */
    default void fill(String[] keys) {
        for (String key : keys) {
            if (!tryConsume(key, BudgetSize.HEAD_START)) {
                throw MeasurementFailedException.wrongAnswer(
                        "a fresh key", ExpectedOutcome.ALLOWED, ExpectedOutcome.DENIED);
            }
        }
        if (size() != keys.length) {
            throw MeasurementFailedException.wrongAnswer("keys that are held", keys.length, size());
        }
    }
}
