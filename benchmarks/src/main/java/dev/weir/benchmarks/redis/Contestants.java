package dev.weir.benchmarks.redis;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.TokenBucket;
import dev.weir.store.redis.RedisStore;
import dev.weir.store.redis.RedisStoreOptions;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** All who take part. */
final class Contestants {
    static final String BARE = "bare GCRA script, one call per check";
    static final String WEIR = "Weir";
    static final String BUCKET4J = "Bucket4j on Lettuce";
    static final String BATCHING = "Bucket4j on Lettuce, batching";
    static final String REDISSON = "Redisson RRateLimiter";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The least that a check by script costs: one key, one number, Redis's own clock, a time to live. */
    static final String BARE_SCRIPT = """
            local t = redis.call('TIME')
            local now = t[1] * 1000000 + t[2]
            local price, bucket = tonumber(ARGV[1]), tonumber(ARGV[2])
            local full = tonumber(redis.call('GET', KEYS[1]) or '0')
            if full < now then full = now end
            local next = full + price
            if next - now > bucket then return {0, 0, next - bucket - now} end
            redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', 60000)
            return {1, bucket - (next - now), 0}
            """;

    private Contestants() {}

    static List<Contestant> all(String uri) {
        return List.of(bare(uri), weir(uri), bucket4j(uri, false), bucket4j(uri, true), redisson(uri));
    }

    static Contestant weir(String uri) {
        return weir(WEIR, uri, 1);
    }

    /** @param uri with its options */
    static Contestant weir(String name, String uri, int limits) {
        String options = uri.contains("?") ? "&" : "?";
        RedisStore store = RedisStore.open(RedisStoreOptions.parse(uri + options + "timeout=10s"));
        TokenBucket policy = TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1));
        List<String> scopes =
                IntStream.range(0, limits).mapToObj(i -> "limit" + i).toList();
        return new Contestant() {
            private List<Charge> charges(String key) {
                return scopes.size() == 1
                        ? List.of(Charge.of(Key.of("limit", key), policy))
                        : scopes.stream()
                                .map(scope -> Charge.of(Key.of(scope, key), policy))
                                .toList();
            }

            @Override
            public String name() {
                return name;
            }

            @Override
            public boolean check(String key) {
                return store.consume(charges(key)).await(TIMEOUT).admitted();
            }

            @Override
            public void checkLater(String key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
                store.consume(charges(key))
                        .whenDone((decision, failure) ->
                                callback.accept(decision == null ? null : decision.admitted(), failure));
            }

            @Override
            public boolean isBatching() {
                return true;
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    static Contestant bare(String uri) {
        RedisClient client = RedisClient.create(uri);
        StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
        String digest = connection.sync().scriptLoad(BARE_SCRIPT);
        return new Contestant() {
            @Override
            public String name() {
                return BARE;
            }

            @Override
            public boolean check(String key) {
                // As Lettuce's own blocking commands wait.
                return isAdmitted(LettuceFutures.awaitOrCancel(asked(key), TIMEOUT.toNanos(), TimeUnit.NANOSECONDS));
            }

            @Override
            public void checkLater(String key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
                tell(asked(key).thenApply(this::isAdmitted), callback);
            }

            private boolean isAdmitted(List<Long> answer) {
                return answer.get(0) == 1;
            }

            private RedisFuture<List<Long>> asked(String key) {
                return connection.async().evalsha(digest, ScriptOutputType.MULTI, new String[] {key}, "1", "1000000");
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    static Contestant bucket4j(String uri, boolean batching) {
        RedisClient client = RedisClient.create(uri);
        StatefulRedisConnection<String, byte[]> connection =
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        ProxyManager<String> manager = Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofMinutes(1)))
                .build();
        AsyncProxyManager<String> asyncManager = manager.asAsync();
        Optimization optimization = batching ? Optimizations.batching() : Optimization.NONE_OPTIMIZED;
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(1_000_000).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                .build();
        Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();
        Map<String, AsyncBucketProxy> asyncBuckets = new ConcurrentHashMap<>();
        return new Contestant() {
            @Override
            public String name() {
                return batching ? BATCHING : BUCKET4J;
            }

            @Override
            public boolean check(String key) {
                return buckets.computeIfAbsent(
                                key,
                                made -> manager.builder()
                                        .withOptimization(optimization)
                                        .build(made, () -> configuration))
                        .tryConsume(1);
            }

            @Override
            public void checkLater(String key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
                tell(
                        asyncBuckets
                                .computeIfAbsent(
                                        key,
                                        made -> asyncManager
                                                .builder()
                                                .withOptimization(optimization)
                                                .build(made, () -> CompletableFuture.completedFuture(configuration)))
                                .tryConsume(1),
                        callback);
            }

            @Override
            public boolean isBatching() {
                return batching;
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    static Contestant redisson(String uri) {
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        RedissonClient client = Redisson.create(config);
        Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();
        return new Contestant() {
            @Override
            public String name() {
                return REDISSON;
            }

            @Override
            public boolean check(String key) {
                return limiters.computeIfAbsent(key, this::made).tryAcquire();
            }

            @Override
            public void checkLater(String key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
                RRateLimiter limiter = limiters.get(key);
                if (limiter != null) {
                    tell(limiter.tryAcquireAsync(), callback);
                    return;
                }
                // A key that is new is told its rate first.
                RRateLimiter fresh = client.getRateLimiter(key);
                tell(
                        fresh.trySetRateAsync(RateType.OVERALL, 1_000_000, Duration.ofSeconds(1))
                                .thenCompose(set -> {
                                    limiters.put(key, fresh);
                                    return fresh.tryAcquireAsync();
                                }),
                        callback);
            }

            private RRateLimiter made(String key) {
                RRateLimiter limiter = client.getRateLimiter(key);
                boolean unused = limiter.trySetRate(RateType.OVERALL, 1_000_000, Duration.ofSeconds(1));
                return limiter;
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    private static void tell(
            CompletionStage<Boolean> stage, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
        var unused = stage.whenComplete(callback);
    }
}
