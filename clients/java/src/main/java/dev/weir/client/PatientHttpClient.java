package dev.weir.client;

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
 * The JDK's HTTP client, minding rate limits: a request that is refused with a wait is sent again when the wait is over,
 * and one for which nothing is left is not even sent before.
 *
 * <p>Gives back the last response: one that is still 429 when attempts or patience are used up, when the server names no
 * wait, or when the request may not be repeated. Requests share what they learn, so use one client for all that is limited
 * together, and another for each other identity towards the server. Safe for use by any number of threads.
 */
public final class PatientHttpClient {
    private final Exchange.Setup setup;

    private PatientHttpClient(Exchange.Setup setup) {
        this.setup = setup;
    }

    /** Sends up to four times, for up to half a minute. */
    public static PatientHttpClient of(HttpClient client) {
        return builder(client).build();
    }

    public static Builder builder(HttpClient client) {
        return new Builder(client);
    }

    /** Sends, waits if need be, and gives back the response. Interrupting ends it. */
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

    /** The same without a thread that waits. Cancelling the future ends it, whatever it is at. */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        return new Exchange<>(setup, request, handler).begin();
    }

    /** Says how. For one thread. */
    public static final class Builder {
        private static final int ATTEMPTS = 4;
        private static final Duration PATIENCE = Duration.ofSeconds(30);
        private static final Duration LONGEST_PATIENCE = Duration.ofDays(365);

        private final HttpClient client;
        private int attempts = ATTEMPTS;
        private Duration patience = PATIENCE;
        private Predicate<HttpRequest> repeats = request -> false;
        private boolean paces = true;
        private Time time = Time.REAL;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder(HttpClient client) {
            this.client = client;
        }

        /** How often a request is sent, the first time included. */
        public Builder attempts(int newAttempts) {
            if (newAttempts < 1) {
                throw new IllegalArgumentException("attempts is " + newAttempts + "; it must be at least 1");
            }
            attempts = newAttempts;
            return this;
        }

        /** A wait that would end later than this after the request was first asked for is not begun. */
        public Builder patience(Duration newPatience) {
            if (newPatience.isNegative() || newPatience.compareTo(LONGEST_PATIENCE) > 0) {
                throw new IllegalArgumentException(
                        "patience is " + newPatience + "; it must be from 0 to " + LONGEST_PATIENCE);
            }
            patience = newPatience;
            return this;
        }

        /** What may be repeated besides what is known to be harmless. */
        public Builder repeating(Predicate<HttpRequest> newRepeats) {
            repeats = newRepeats;
            return this;
        }

        /** Sends at once, whatever is known to be left. */
        public Builder withoutPacing() {
            paces = false;
            return this;
        }

        /** For tests, which do not wait. */
        Builder by(Time newTime, DoubleSupplier newRandom) {
            time = newTime;
            random = newRandom;
            return this;
        }

        public PatientHttpClient build() {
            return new PatientHttpClient(new Exchange.Setup(
                    client, attempts, patience, new Repetition(repeats), paces ? new Pace() : null, time, random));
        }
    }
}
