package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is on its way: given once, by whoever is first; what comes later is not heard.
 *
 * @param <T> what is answered
 */
public class Promise<T> implements Answer<T> {
    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** An answer that failed from the start. */
    public static <T> Answer<T> failed(StoreException failure) {
        Promise<T> promise = new Promise<>();
        promise.fail(failure);
        return promise;
    }

    /** Gives the answer; false if one was given before. */
    public boolean complete(T value) {
        return future.complete(value);
    }

    /** Gives the failure; false if an answer was given before. */
    public boolean fail(StoreException failure) {
        return future.completeExceptionally(failure);
    }

    @Override
    public boolean isDone() {
        return future.isDone();
    }

    @Override
    public T now() {
        if (!future.isDone()) {
            throw new IllegalStateException("the answer is still on its way; await it, or ask to be called back");
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    @Override
    public T await(Duration timeout) {
        try {
            return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } catch (TimeoutException e) {
            throw new StoreException("there was no answer within " + timeout, true, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while waiting for the store", true, e);
        }
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        // What a callback throws is its own affair: nobody awaits the future that would carry it.
        var unused =
                future.whenComplete((value, error) -> callback.accept(value, error == null ? null : failure(error)));
    }

    private static StoreException failure(@Nullable Throwable error) {
        return error instanceof StoreException known ? known : new StoreException("the store failed", true, error);
    }
}
