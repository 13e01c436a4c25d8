package dev.weir.http.retry;

import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A response that asks for a retry: 429 or 503. */
final class RetryResponse {
    private static final int REFUSED = 429;
    private static final int UNAVAILABLE = 503;
    /** Longer than any real wait, and far from an overflow. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private RetryResponse() {}

    /**
     * Returns how long to wait: by {@code Retry-After}, or else until the exhausted limits are full again. Returns null
     * if the response is no refusal or names no wait; then waiting does not help.
     */
    static @Nullable Duration wait(HttpResponse<?> response, RateLimits limits, ServerTime time) {
        if (response.statusCode() != REFUSED && response.statusCode() != UNAVAILABLE) {
            return null;
        }
        Duration told = time.retryAfter(response.headers());
        if (told == null && response.statusCode() == REFUSED) {
            told = untilWhole(limits);
        }
        return told == null || told.compareTo(LONGEST) > 0 ? null : told;
    }

    private static @Nullable Duration untilWhole(RateLimits limits) {
        Duration longest = null;
        for (RateLimits.Limit limit : limits.limits()) {
            Long quota = limit.quota();
            Duration reset = limit.resetAfter();
            boolean comesBack = limit.remaining() == 0 && (quota == null || quota > 0);
            if (comesBack && reset != null && (longest == null || reset.compareTo(longest) > 0)) {
                longest = reset;
            }
        }
        return longest;
    }

    /** Closes the body, which is not read: an open stream would keep its connection from being reused. */
    static void discard(HttpResponse<?> response) {
        if (response.body() instanceof AutoCloseable body) {
            try {
                body.close();
            } catch (Exception e) {
                // The response is discarded in any case.
            }
        }
    }
}
