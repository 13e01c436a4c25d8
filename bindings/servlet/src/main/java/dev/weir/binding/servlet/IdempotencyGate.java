package dev.weir.binding.servlet;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.Beginning;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks whether a request with an idempotency key is new, being done, or done. */
final class IdempotencyGate {
    private static final int LONGEST_PAUSE_MILLIS = 200;

    private final Idempotency rules;

    IdempotencyGate(Idempotency rules) {
        this.rules = rules;
    }

    /** What is known of a request by its key. */
    sealed interface Finding {
        /** It is not one of those that are done once. */
        record None() implements Finding {}

        /** Nobody did it before. */
        record Fresh(IdempotentWork work) implements Finding {}

        /** It was done before. */
        record Known(StoredResponse response) implements Finding {}

        /** It is not done, and this is why. */
        record Rejected(Problem problem) implements Finding {}
    }

    /** Whether its body has to be looked at: that of a form with files is not, as it differs each time it is sent. */
    boolean wantsBody(HttpServletRequest request) {
        return concerns(request) && request.getHeader(rules.header()) != null && !isMultipart(request);
    }

    int bodyBound() {
        return rules.largestRequest();
    }

    /** The answer never fails. */
    Answer<Finding> ask(HttpServletRequest request, Map<String, String> attributes) {
        if (!concerns(request)) {
            return Answer.of(new Finding.None());
        }
        List<String> lines = new ArrayList<>(Collections.list(request.getHeaders(rules.header())));
        if (lines.isEmpty()) {
            return Answer.of(
                    rules.required()
                            ? new Finding.Rejected(Problem.badRequest(
                                    "this request needs the header " + rules.header() + ", unique to it"))
                            : new Finding.None());
        }
        String text = lines.size() == 1 ? IdempotencyKeys.parse(lines.get(0)) : null;
        if (text == null) {
            return Answer.of(new Finding.Rejected(Problem.badRequest("the header " + rules.header()
                    + " must be there once, with 1 to " + IdempotencyKeys.LONGEST_KEY + " visible ASCII characters")));
        }
        byte[] digest = digest(request);
        if (digest == null) {
            return Answer.of(new Finding.Rejected(Problem.tooLarge("a request with the header " + rules.header()
                    + " may have a body of " + rules.largestRequest() + " bytes")));
        }
        long until = System.nanoTime() + rules.waiting().toNanos();
        return begin(IdempotencyKeys.key(rules.per(), attributes, text), digest, until, 5);
    }

    private boolean concerns(HttpServletRequest request) {
        return rules.applies().test(request);
    }

    private Answer<Finding> begin(Key key, byte[] digest, long untilNanos, long pauseMillis) {
        return Answers.then(
                rules.responses().begin(key, digest, rules.patience()),
                beginning -> {
                    if (beginning instanceof Beginning.InFlight && untilNanos - System.nanoTime() > 0) {
                        return later(key, digest, untilNanos, pauseMillis);
                    }
                    return Answer.of(finding(key, beginning));
                },
                failure -> Answer.of(new Finding.Rejected(Problem.unavailable())));
    }

    private Answer<Finding> later(Key key, byte[] digest, long untilNanos, long pauseMillis) {
        Promise<Finding> promise = new Promise<>();
        CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS).execute(() -> {
            long next = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
            begin(key, digest, untilNanos, next)
                    .whenDone((finding, failure) -> promise.complete(
                            finding == null
                                    ? new Finding.Rejected(Problem.unavailable())
                                    : Objects.requireNonNull(finding)));
        });
        return promise;
    }

    private Finding finding(Key key, Beginning beginning) {
        if (beginning instanceof Beginning.Begun begun) {
            return new Finding.Fresh(new IdempotentWork(rules, key, begun.token()));
        }
        if (beginning instanceof Beginning.Done done) {
            StoredResponse response = StoredResponse.of(done.response());
            return response.isWithheld()
                    ? new Finding.Rejected(Problem.conflict(
                            "this request was done before; its response was too large to be remembered", false))
                    : new Finding.Known(response);
        }
        if (beginning instanceof Beginning.InFlight) {
            return new Finding.Rejected(
                    Problem.conflict("a request with this " + rules.header() + " is being done", true));
        }
        return new Finding.Rejected(Problem.unprocessable("this " + rules.header() + " was used for another request"));
    }

    /** By which a key that is used for something else is noticed; null if the body is too large. */
    private byte @Nullable [] digest(HttpServletRequest request) {
        byte[] body = new byte[0];
        if (isMultipart(request)) {
            // Its boundary is another each time; its length is not.
            body = Long.toString(request.getContentLengthLong()).getBytes(StandardCharsets.US_ASCII);
        } else if (request instanceof BufferedRequest buffered) {
            byte[] whole = buffered.wholeBody();
            if (whole == null || whole.length > rules.largestRequest()) {
                return null;
            }
            body = whole;
        }
        return IdempotencyKeys.digest(request.getMethod(), request.getRequestURI(), request.getQueryString(), body);
    }

    private static boolean isMultipart(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/");
    }
}
