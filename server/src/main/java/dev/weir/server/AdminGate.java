package dev.weir.server;

import dev.weir.RateLimiter;
import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.HeaderName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets administrators through: those who send the bearer token.
 *
 * <p>Digests are compared, in constant time, so that neither the token's length nor its beginning shows in how long it
 * takes. An address that was wrong ten times in a minute is not even compared until it has waited.
 */
final class AdminGate implements AutoCloseable {
    private static final String BEARER = "Bearer ";
    private static final int TRIES_PER_MINUTE = 10;

    private final byte @Nullable [] digest;
    private final ForwardAuth clients;
    private final RateLimiter failures = RateLimiter.of(TokenBucket.perMinute(TRIES_PER_MINUTE));

    AdminGate(@Nullable String token, ForwardAuth clients) {
        this.digest = token == null ? null : digest(token);
        this.clients = clients;
    }

    /** The endpoint behind the gate. */
    Consumer<Exchange> guard(Consumer<Exchange> endpoint) {
        return exchange -> {
            check(exchange);
            endpoint.accept(exchange);
        };
    }

    @Override
    public void close() {
        failures.close();
    }

    private void check(Exchange exchange) {
        if (digest == null) {
            throw Problem.of(
                    403,
                    "admin_disabled",
                    "the admin API is off; start the server with --admin-token, or set WEIR_ADMIN_TOKEN");
        }
        String client = clients.client(exchange);
        if (failures.peek(client) instanceof Reading.Refused refused) {
            exchange.response()
                    .putHeader(
                            HeaderName.RETRY_AFTER,
                            Long.toString(Math.max(1, DecisionText.wholeSeconds(refused.retryAfter()))));
            throw Problem.of(429, "rate_limited", "too many attempts with a wrong token; wait");
        }
        String given = exchange.header("Authorization");
        boolean isBearer = given != null && given.regionMatches(true, 0, BEARER, 0, BEARER.length());
        if (!isBearer
                || given == null
                || !MessageDigest.isEqual(
                        digest, digest(given.substring(BEARER.length()).trim()))) {
            failures.tryConsume(client);
            exchange.response().putHeader("WWW-Authenticate", "Bearer realm=\"weir\"");
            throw Problem.of(401, "unauthorized", "send the admin token as 'Authorization: Bearer TOKEN'");
        }
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
