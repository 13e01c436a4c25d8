package dev.weir.benchmarks.load;

import dev.weir.Charge;
import dev.weir.Store;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A library that checks limits in a shared store. Every check fits.
 *
 * @param check checks and waits, in the way that the library has for that; returns whether it was admitted
 * @param checkLater checks without waiting, and calls back in the way that the library has for that
 * @param usage what its backend counts
 * @param isBatching whether one decision of the backend may carry the checks of several callers
 */
public record Contestant(
        String name,
        Predicate<String> check,
        BiConsumer<String, Callback> checkLater,
        Supplier<Usage> usage,
        boolean isBatching,
        Runnable closing)
        implements AutoCloseable {
    /** How long a caller waits at most. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Gets whether a check was admitted, or the failure. */
    public interface Callback extends BiConsumer<@Nullable Boolean, @Nullable Throwable> {}

    /** A contestant whose backend counts nothing. */
    public static Contestant of(
            String name,
            Predicate<String> check,
            Function<String, CompletionStage<Boolean>> checkLater,
            Runnable closing) {
        return new Contestant(
                name,
                check,
                (key, callback) -> {
                    var unused = checkLater.apply(key).whenComplete(callback);
                },
                () -> Usage.UNKNOWN,
                false,
                closing);
    }

    /** A contestant that only waits; callbacks are called by the caller's thread. */
    public static Contestant blocking(String name, Predicate<String> check, Runnable closing) {
        return of(name, check, key -> CompletableFuture.completedFuture(check.test(key)), closing);
    }

    /** Weir on a store. */
    public static Contestant weir(String name, Store store, Function<String, List<Charge>> charges) {
        return new Contestant(
                name,
                key -> store.consume(charges.apply(key)).await(TIMEOUT).admitted(),
                (key, callback) -> store.consume(charges.apply(key))
                        .whenDone((decision, failure) ->
                                callback.accept(decision == null ? null : decision.admitted(), failure)),
                () -> Usage.UNKNOWN,
                false,
                store::close);
    }

    /** Bucket4j with a million a second for each key; buckets are made once. */
    public static Contestant bucket4j(
            String name, ProxyManager<String> manager, Optimization optimization, Runnable closing) {
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(1_000_000).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                .build();
        Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();
        Map<String, AsyncBucketProxy> asyncBuckets = new ConcurrentHashMap<>();
        return of(
                name,
                key -> buckets.computeIfAbsent(
                                key,
                                made -> manager.builder()
                                        .withOptimization(optimization)
                                        .build(made, () -> configuration))
                        .tryConsume(1),
                key -> asyncBuckets
                        .computeIfAbsent(
                                key,
                                made -> manager.asAsync()
                                        .builder()
                                        .withOptimization(optimization)
                                        .build(made, () -> CompletableFuture.completedFuture(configuration)))
                        .tryConsume(1),
                closing);
    }

    /** The same, with what its backend counts: as many decisions as checks, or fewer if it is batching. */
    public Contestant counted(Supplier<Usage> counts, boolean batching) {
        return new Contestant(name, check, checkLater, counts, batching, closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
