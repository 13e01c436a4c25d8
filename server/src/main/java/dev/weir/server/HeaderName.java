package dev.weir.server;

import io.vertx.core.http.HttpHeaders;

/** The headers of a decision, ready to be written. */
final class HeaderName {
    static final CharSequence LIMIT = HttpHeaders.createOptimized("X-RateLimit-Limit");
    static final CharSequence REMAINING = HttpHeaders.createOptimized("X-RateLimit-Remaining");
    static final CharSequence RESET = HttpHeaders.createOptimized("X-RateLimit-Reset");
    static final CharSequence POLICY = HttpHeaders.createOptimized("RateLimit-Policy");
    static final CharSequence STATE = HttpHeaders.createOptimized("RateLimit");
    static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("Retry-After");
    static final CharSequence WARNING = HttpHeaders.createOptimized("X-RateLimit-Warning");

    private HeaderName() {}
}
