package dev.weir.client;

import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which requests may be sent again.
 *
 * <p>429 says that the server has refused a request and not begun it, so that any method may be repeated. After 503 nobody
 * knows how far it came: only what has the same effect twice is repeated, by its method or by its idempotency key. In
 * either case the body must be one that can be sent again; one whose length is not known is taken for a stream, which
 * cannot.
 *
 * @param byTheCaller what else may be repeated
 */
record Repetition(Predicate<HttpRequest> byTheCaller) {
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
