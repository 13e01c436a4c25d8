package dev.weir.engine.idempotency;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.engine.http.Problem;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spi.idempotency.ResponseStoreArguments;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether a request with an idempotency key is new, in progress or done, for any framework.
 *
 * @param per the attributes of which the first present one identifies the owner of a key
 * @param processingTimeout how long the work may take; after that the key is free again
 * @param waiting how long a repeated request waits for the response of the first
 * @param largestRequest the largest body of a request with a key, in bytes
 * @param largestResponse the largest body of a response that is stored, in bytes
 */
public record IdempotencyGate(
        ResponseStore responses,
        String header,
        List<String> per,
        boolean required,
        Duration ttl,
        Duration processingTimeout,
        Duration waiting,
        int largestRequest,
        int largestResponse,
        IntPredicate remembers) {
    private static final int LONGEST_PAUSE_MILLIS = 200;

    public IdempotencyGate {
        ResponseStoreArguments.checkTime("ttl", ttl);
        ResponseStoreArguments.checkTime("processingTimeout", processingTimeout);
    }

    /** The state of a request by its key. */
    public sealed interface Finding {
        /** The request is not subject to idempotency. */
        record None() implements Finding {}

        /** The request was not processed before. */
        record Fresh(IdempotentWork work) implements Finding {}

        /** The request was processed before. */
        record Known(StoredResponse response) implements Finding {}

        /** The request is rejected for this reason. */
        record Rejected(Problem problem) implements Finding {}
    }

    /** It cannot be determined whether the request was processed before, so it is not processed. */
    public static Problem unavailable() {
        return new Problem(503, "Service Unavailable", "unavailable", "Idempotency is temporarily unavailable", 60);
    }

    /**
     * Determines the state of a request that may have a key. The answer never fails.
     *
     * @param lines all lines of the header
     * @param digest detects a key that is used for another request; null if the body is too large
     */
    public Answer<Finding> ask(List<String> lines, Map<String, String> attributes, Supplier<byte @Nullable []> digest) {
        if (lines.isEmpty()) {
            return Answer.of(
                    required
                            ? new Finding.Rejected(
                                    Problem.badRequest("this request needs the header " + header + ", unique to it"))
                            : new Finding.None());
        }
        String text = lines.size() == 1 ? IdempotencyKeys.parse(lines.get(0)) : null;
        if (text == null) {
            return Answer.of(new Finding.Rejected(Problem.badRequest("the header " + header
                    + " must be there once, with 1 to " + IdempotencyKeys.LONGEST_KEY + " visible ASCII characters")));
        }
        byte[] request = digest.get();
        if (request == null) {
            return Answer.of(new Finding.Rejected(Problem.tooLarge(
                    "a request with the header " + header + " may have a body of " + largestRequest + " bytes")));
        }
        return begin(IdempotencyKeys.key(per, attributes, text), request, System.nanoTime() + waiting.toNanos(), 5);
    }

    private Answer<Finding> begin(Key key, byte[] digest, long untilNanos, long pauseMillis) {
        return Answers.then(
                Answers.of(() -> responses.begin(key, digest, processingTimeout)),
                beginning -> beginning instanceof BeginResult.InFlight && untilNanos - System.nanoTime() > 0
                        ? later(key, digest, untilNanos, pauseMillis)
                        : Answer.of(finding(key, beginning)),
                failure -> Answer.of(new Finding.Rejected(unavailable())));
    }

    private Answer<Finding> later(Key key, byte[] digest, long untilNanos, long pauseMillis) {
        Promise<Finding> promise = new Promise<>();
        CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS).execute(() -> {
            long next = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
            begin(key, digest, untilNanos, next)
                    .whenDone((finding, failure) ->
                            promise.complete(Objects.requireNonNullElse(finding, new Finding.Rejected(unavailable()))));
        });
        return promise;
    }

    private Finding finding(Key key, BeginResult beginning) {
        if (beginning instanceof BeginResult.Begun begun) {
            return new Finding.Fresh(new IdempotentWork(this, key, begun.token()));
        }
        if (beginning instanceof BeginResult.Done done) {
            StoredResponse response = StoredResponse.of(done.response());
            return response.isWithheld()
                    ? conflict("this request was processed before; its response was too large to be stored", 0)
                    : new Finding.Known(response);
        }
        return beginning instanceof BeginResult.InFlight
                ? conflict("a request with this " + header + " is in progress", 1)
                : new Finding.Rejected(new Problem(
                        422,
                        "Unprocessable Content",
                        "idempotency_key_reused",
                        "this " + header + " was used for another request",
                        0));
    }

    private static Finding conflict(String detail, int retryAfterSecs) {
        return new Finding.Rejected(new Problem(409, "Conflict", "conflict", detail, retryAfterSecs));
    }
}
