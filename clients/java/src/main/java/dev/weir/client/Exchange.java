package dev.weir.client;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** One request on its way: its turn, its attempts, and the waits between them. */
final class Exchange<T> {
    private static final Duration LEAST_JITTER = Duration.ofMillis(10);
    /** A fifth of the wait at most. */
    private static final int JITTER_SHARE = 5;

    private final Setup setup;
    private final HttpRequest request;
    private final HttpResponse.BodyHandler<T> handler;
    private final long beginNanos;
    private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    private int attempts;
    /** What is awaited now; it is cancelled with the result. */
    private volatile CompletableFuture<?> pending = CompletableFuture.completedFuture(null);

    /**
     * How requests are treated.
     *
     * @param attempts how often a request is sent, the first time included
     * @param patience how long a request and its repetitions may take until the last of them is sent
     * @param pace null if requests are not paced
     * @param random from 0 to 1
     */
    record Setup(
            HttpClient client,
            int attempts,
            Duration patience,
            Repetition repetition,
            @Nullable Pace pace,
            Time time,
            DoubleSupplier random) {}

    Exchange(Setup setup, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
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
        takeTurn();
        return result;
    }

    private void takeTurn() {
        Pace pace = setup.pace();
        if (pace == null) {
            send(null);
            return;
        }
        Pace.Turn turn = pace.ask(request.method(), request.uri(), setup.time().nanos());
        if (turn.trip() != null) {
            send(turn.trip());
        } else if (hasTimeFor(turn.delay())) {
            waitThen(turn.delay(), this::takeTurn);
        } else {
            // What is known here is a guess. There is no time to see whether it is true: the server knows.
            send(pace.go(request.method(), request.uri()));
        }
    }

    private void send(Pace.@Nullable Trip trip) {
        attempts++;
        CompletableFuture<HttpResponse<T>> sent = setup.client().sendAsync(request, handler);
        awaited(sent);
        var unused = sent.whenComplete((response, failure) -> {
            try {
                if (failure == null) {
                    answered(trip, response);
                } else {
                    failed(trip, failure);
                }
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
    }

    private void failed(Pace.@Nullable Trip trip, Throwable failure) {
        if (setup.pace() != null && trip != null) {
            setup.pace().failed(trip);
        }
        result.completeExceptionally(
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure);
    }

    private void answered(Pace.@Nullable Trip trip, HttpResponse<T> response) {
        ServerTime time = ServerTime.of(response.headers(), setup.time().epochMillis());
        RateLimits limits = RateLimits.of(response.headers(), time);
        Duration wait = Refusal.wait(response, limits, time);
        if (setup.pace() != null && trip != null) {
            setup.pace()
                    .answered(trip, limits, wait, setup.patience(), setup.time().nanos());
        }
        boolean isRepeated = wait != null
                && attempts < setup.attempts()
                && setup.repetition().allows(request, response.statusCode())
                && hasTimeFor(wait);
        if (wait != null && isRepeated) {
            Refusal.discard(response);
            waitThen(wait, this::takeTurn);
        } else {
            result.complete(response);
        }
    }

    private boolean hasTimeFor(Duration wait) {
        Duration passed = Duration.ofNanos(setup.time().nanos() - beginNanos);
        return wait.compareTo(setup.patience().minus(passed)) <= 0;
    }

    /** Not less than told, and a little more by chance, so that who was refused together does not come back together. */
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
