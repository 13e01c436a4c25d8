package dev.weir.http.retry;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** One request with its attempts and the waits between them. */
final class RequestAttempts<T> {
    private static final Duration LEAST_JITTER = Duration.ofMillis(10);
    /** The jitter is at most this fraction of the wait: one fifth. */
    private static final int JITTER_SHARE = 5;

    private final Setup setup;
    private final HttpRequest request;
    private final HttpResponse.BodyHandler<T> handler;
    private final long beginNanos;
    private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    private int attempts;
    /** The send or wait in progress; cancelled with the result. */
    private volatile CompletableFuture<?> pending = CompletableFuture.completedFuture(null);

    /**
     * Options shared by all requests of a client.
     *
     * @param attempts how often a request is sent, including the first time
     * @param longestWait how long after its start a request may still be sent again
     * @param pacer null if requests are not paced
     * @param random random numbers from 0 to 1
     */
    record Setup(
            HttpClient client,
            int attempts,
            Duration longestWait,
            RetryEligibility repetition,
            @Nullable RequestPacer pacer,
            Time time,
            DoubleSupplier random) {}

    RequestAttempts(Setup setup, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        this.setup = setup;
        this.request = request;
        this.handler = handler;
        this.beginNanos = setup.time().nanos();
    }

    CompletableFuture<HttpResponse<T>> begin() {
        var unused = result.whenComplete((response, failure) -> {
            if (result.isCancelled()) {
                pending.cancel(true);
            }
        });
        waitForBudget();
        return result;
    }

    private void waitForBudget() {
        RequestPacer pacer = setup.pacer();
        if (pacer == null) {
            send(null);
            return;
        }
        RequestPacer.PacingDecision turn =
                pacer.ask(request.method(), request.uri(), setup.time().nanos());
        if (turn.attempt() != null) {
            send(turn.attempt());
        } else if (hasTimeFor(turn.delay())) {
            waitThen(turn.delay(), this::waitForBudget);
        } else {
            // The known budget is an estimate, and there is no time to wait for it. The server decides.
            send(pacer.sendNow(request.method(), request.uri()));
        }
    }

    private void send(RequestPacer.@Nullable InFlightRequest attempt) {
        attempts++;
        CompletableFuture<HttpResponse<T>> sent = setup.client().sendAsync(request, handler);
        awaited(sent);
        var unused = sent.whenComplete((response, failure) -> {
            try {
                if (failure == null) {
                    answered(attempt, response);
                } else {
                    failed(attempt, failure);
                }
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
    }

    private void failed(RequestPacer.@Nullable InFlightRequest attempt, Throwable failure) {
        if (setup.pacer() != null && attempt != null) {
            setup.pacer().failed(attempt);
        }
        result.completeExceptionally(
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure);
    }

    private void answered(RequestPacer.@Nullable InFlightRequest attempt, HttpResponse<T> response) {
        ServerTime time = ServerTime.of(response.headers(), setup.time().epochMillis());
        RateLimits limits = RateLimits.of(response.headers(), time);
        Duration wait = RetryResponse.wait(response, limits, time);
        if (setup.pacer() != null && attempt != null) {
            setup.pacer()
                    .answered(
                            attempt,
                            limits,
                            wait,
                            setup.longestWait(),
                            setup.time().nanos());
        }
        boolean isRepeated = wait != null
                && attempts < setup.attempts()
                && setup.repetition().allows(request, response.statusCode())
                && hasTimeFor(wait);
        if (wait != null && isRepeated) {
            RetryResponse.discard(response);
            waitThen(wait, this::waitForBudget);
        } else {
            result.complete(response);
        }
    }

    private boolean hasTimeFor(Duration wait) {
        Duration passed = Duration.ofNanos(setup.time().nanos() - beginNanos);
        return wait.compareTo(setup.longestWait().minus(passed)) <= 0;
    }

    /** Waits at least the given time, plus jitter, so that requests refused together do not return together. */
    private void waitThen(Duration told, Runnable next) {
        double most = told.toNanos() / (double) JITTER_SHARE + LEAST_JITTER.toNanos();
        Duration jitter = Duration.ofNanos((long) (most * setup.random().getAsDouble()));
        CompletableFuture<Void> waiting = setup.time().after(told.plus(jitter));
        awaited(waiting);
        var unused = waiting.whenComplete((done, failure) -> {
            if (!result.isDone()) {
                next.run();
            }
        });
    }

    private void awaited(CompletableFuture<?> next) {
        pending = next;
        if (result.isCancelled()) {
            next.cancel(true);
        }
    }
}
