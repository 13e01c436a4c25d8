package dev.weir.http.retry;

import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides which requests may be sent again.
 *
 * <p>429 means that the server refused the request before processing it, so any method may be repeated. After 503 the
 * progress is unknown: only idempotent requests are repeated, by their method or by their idempotency key. In both
 * cases the body must be replayable. A body of unknown length counts as a stream, which is not.
 *
 * @param byTheCaller which other requests may be repeated
 */
record RetryEligibility(Predicate<HttpRequest> byTheCaller) {
    private static final int REFUSED = 429;
    private static final int UNAVAILABLE = 503;
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    boolean allows(HttpRequest request, int status) {
        return switch (status) {
            case REFUSED -> hasReplayableBody(request) || byTheCaller.test(request);
            case UNAVAILABLE -> (hasReplayableBody(request) && isIdempotent(request)) || byTheCaller.test(request);
            default -> false;
        };
    }

    private static boolean hasReplayableBody(HttpRequest request) {
        return request.bodyPublisher().isEmpty()
                || request.bodyPublisher().get().contentLength() >= 0;
    }

    private static boolean isIdempotent(HttpRequest request) {
        return IDEMPOTENT.contains(request.method().toUpperCase(Locale.ROOT))
                || request.headers().firstValue("Idempotency-Key").isPresent();
    }
}
