package dev.weir.http.retry;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * The JDK's HTTP client with retries for rate limits. A request that is refused with a wait is sent again after the
 * wait. A request for which nothing is left waits before it is sent.
 *
 * <p>Returns the last response. That is still 429 if the attempts or the longest wait are used up, if the server names
 * no wait, or if the request may not be repeated. Requests share their knowledge of limits: use one client for all
 * requests that are limited together, and another for each other identity towards the server. Thread-safe.
 */
public final class RetryingHttpClient {
    private final RequestAttempts.Setup setup;

    private RetryingHttpClient(RequestAttempts.Setup setup) {
        this.setup = setup;
    }

    /** Returns a client that sends up to four times, for up to half a minute. */
    public static RetryingHttpClient of(HttpClient client) {
        return builder(client).build();
    }

    public static Builder builder(HttpClient client) {
        return new Builder(client);
    }

    /** Sends, waits if necessary, and returns the response. Interrupting the thread cancels the request. */
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<T>> answer = sendAsync(request, handler);
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("the request could not be sent", e.getCause());
        }
    }

    /** Like {@link #send}, without blocking. Cancelling the future cancels the request or the wait. */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        return new RequestAttempts<>(setup, request, handler).begin();
    }

    /** Builder. Not thread-safe. */
    public static final class Builder {
        private static final int ATTEMPTS = 4;
        private static final Duration DEFAULT_LONGEST_WAIT = Duration.ofSeconds(30);
        private static final Duration MAX_LONGEST_WAIT = Duration.ofDays(365);

        private final HttpClient client;
        private int attempts = ATTEMPTS;
        private Duration longestWait = DEFAULT_LONGEST_WAIT;
        private Predicate<HttpRequest> repeats = request -> false;
        private boolean paces = true;
        private Time time = Time.REAL;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder(HttpClient client) {
            this.client = client;
        }

        /** Sets how often a request is sent, including the first time; at least 1. */
        public Builder attempts(int newAttempts) {
            if (newAttempts < 1) {
                throw new IllegalArgumentException("attempts is " + newAttempts + "; it must be at least 1");
            }
            attempts = newAttempts;
            return this;
        }

        /** Sets the longest wait: no wait begins that would end later than this after the start of the request. */
        public Builder longestWait(Duration newLongestWait) {
            if (newLongestWait.isNegative() || newLongestWait.compareTo(MAX_LONGEST_WAIT) > 0) {
                throw new IllegalArgumentException("longestWait is " + newLongestWait.toSeconds()
                        + " s; it must be 0 s to " + MAX_LONGEST_WAIT.toDays() + " days");
            }
            longestWait = newLongestWait;
            return this;
        }

        /** Sets which requests may be repeated in addition to those known to be safe. */
        public Builder repeating(Predicate<HttpRequest> newRepeats) {
            repeats = newRepeats;
            return this;
        }

        /** Sends at once, whatever is known to be left. */
        public Builder withoutPacing() {
            paces = false;
            return this;
        }

        /** Sets the clock, for tests that do not wait. */
        Builder by(Time newTime, DoubleSupplier newRandom) {
            time = newTime;
            random = newRandom;
            return this;
        }

        public RetryingHttpClient build() {
            return new RetryingHttpClient(new RequestAttempts.Setup(
                    client,
                    attempts,
                    longestWait,
                    new RetryEligibility(repeats),
                    paces ? new RequestPacer() : null,
                    time,
                    random));
        }
    }
}
