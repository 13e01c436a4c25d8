package dev.weir.benchmarks.redis;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.TokenBucket;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.store.redis.RedisStore;
import dev.weir.store.redis.RedisStoreOptions;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** All contestants of the Redis benchmark; the policy is a million a second for each key. */
final class Contestants {
    static final String BARE = "bare GCRA script, one call per check";
    static final String WEIR = "Weir";
    static final String SPINNING = "Weir, spin=true";
    static final String BUCKET4J = "Bucket4j on Lettuce";
    static final String BATCHING = "Bucket4j on Lettuce, batching";
    static final String REDISSON = "Redisson RRateLimiter";

    /** The minimal script of a check: one key, one number, Redis's own clock, a time to live. */
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

    static List<Contestant> all(Server server) {
        return List.of(
                bare(server),
                weir(WEIR, server, "", 1),
                weir(SPINNING, server, "&spin=true", 1),
                bucket4j(BUCKET4J, server, Optimization.NONE_OPTIMIZED),
                bucket4j(BATCHING, server, Optimizations.batching()),
                redisson(server));
    }

    /**
     * Creates a contestant for Weir.
     *
     * @param options further ones of the store, {@code &name=value}
     */
    static Contestant weir(String name, Server server, String options, int limits) {
        RedisStore store = RedisStore.open(RedisStoreOptions.parse(server.uri() + "?timeout=10s" + options));
        TokenBucket policy = TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1));
        Function<String, List<Charge>> charges = limits == 1
                ? key -> List.of(Charge.of(Key.of("limit", key), policy))
                : key -> IntStream.range(0, limits)
                        .mapToObj(i -> Charge.of(Key.of("limit" + i, key), policy))
                        .toList();
        return Contestant.weir(name, store, charges).counted(server::usage, true);
    }

    private static Contestant bare(Server server) {
        RedisClient client = RedisClient.create(server.uri());
        StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
        String digest = connection.sync().scriptLoad(BARE_SCRIPT);
        Function<String, RedisFuture<List<Long>>> asked =
                key -> connection.async().evalsha(digest, ScriptOutputType.MULTI, new String[] {key}, "1", "1000000");
        long nanos = Contestant.TIMEOUT.toNanos();
        return Contestant.of(
                        BARE,
                        // Waits as Lettuce's own blocking commands do.
                        key -> isAdmitted(LettuceFutures.awaitOrCancel(asked.apply(key), nanos, TimeUnit.NANOSECONDS)),
                        key -> asked.apply(key).thenApply(Contestants::isAdmitted),
                        client::shutdown)
                .counted(server::usage, false);
    }

    private static boolean isAdmitted(List<Long> answer) {
        return answer.get(0) == 1;
    }

    private static Contestant bucket4j(String name, Server server, Optimization optimization) {
        RedisClient client = RedisClient.create(server.uri());
        StatefulRedisConnection<String, byte[]> connection =
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        ProxyManager<String> manager = Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofMinutes(1)))
                .build();
        return Contestant.bucket4j(name, manager, optimization, client::shutdown)
                .counted(server::usage, name.equals(BATCHING));
    }

    private static Contestant redisson(Server server) {
        Config config = new Config();
        config.useSingleServer().setAddress(server.uri());
        RedissonClient client = Redisson.create(config);
        Duration second = Duration.ofSeconds(1);
        Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();
        return Contestant.of(
                        REDISSON,
                        key -> limiters.computeIfAbsent(key, fresh -> {
                                    RRateLimiter limiter = client.getRateLimiter(fresh);
                                    boolean unused = limiter.trySetRate(RateType.OVERALL, 1_000_000, second);
                                    return limiter;
                                })
                                .tryAcquire(),
                        key -> {
                            RRateLimiter limiter = limiters.get(key);
                            if (limiter != null) {
                                return limiter.tryAcquireAsync();
                            }
                            // The rate of a new key is set first.
                            RRateLimiter fresh = client.getRateLimiter(key);
                            return fresh.trySetRateAsync(RateType.OVERALL, 1_000_000, second)
                                    .thenCompose(set -> {
                                        limiters.put(key, fresh);
                                        return fresh.tryAcquireAsync();
                                    });
                        },
                        client::shutdown)
                .counted(server::usage, false);
    }
}
