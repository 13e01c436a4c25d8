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
 * @param check checks and waits, in the library's blocking way; returns whether it was admitted
 * @param checkLater checks without waiting, and calls back in the library's asynchronous way
 * @param usage the counters of its backend
 * @param isBatching whether one decision of the backend may serve the checks of several callers
 */
public record Contestant(
        String name,
        Predicate<String> check,
        BiConsumer<String, Callback> checkLater,
        Supplier<Usage> usage,
        boolean isBatching,
        Runnable closing)
        implements AutoCloseable {
    /** The longest wait of a caller. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Receives whether a check was admitted, or the failure. */
    public interface Callback extends BiConsumer<@Nullable Boolean, @Nullable Throwable> {}

    /** Creates a contestant whose backend has no counters. */
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

    /** Creates a contestant that only blocks; callbacks run in the caller's thread. */
    public static Contestant blocking(String name, Predicate<String> check, Runnable closing) {
        return of(name, check, key -> CompletableFuture.completedFuture(check.test(key)), closing);
    }

    /** Creates a contestant for Weir on a store. */
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

    /** Bucket4j with a million a second for each key; each bucket is created once. */
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

    /** This contestant with its backend's counters: as many decisions as checks, or fewer if it is batching. */
    public Contestant counted(Supplier<Usage> counts, boolean batching) {
        return new Contestant(name, check, checkLater, counts, batching, closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
