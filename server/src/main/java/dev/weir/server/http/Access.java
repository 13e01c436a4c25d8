package dev.weir.server.http;

import dev.weir.RateLimiter;
import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.engine.access.AccessRole;
import dev.weir.engine.access.AccessToken;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.HttpDecision;
import dev.weir.server.AccessOptions;
import dev.weir.server.ServerOptions;
import dev.weir.server.StartException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may use a route: by the Host header, by the origin of the page that sends it, and by its
 * token.
 *
 * <p>A valid token always passes. Invalid tokens are counted per client address: from the eleventh in a minute on, the
 * response is 429. A request without a token is not counted.
 */
public final class Access implements AutoCloseable {
    public static final String SUBPROTOCOL = "weir";
    private static final String SUBPROTOCOL_TOKEN = "weir.bearer.";
    private static final String BEARER = "Bearer ";
    private static final int WRONG_PER_MINUTE = 10;

    private final AllowedHosts hosts;
    private final AllowedOrigins origins;
    private final Tokens tokens;
    private final boolean requiresToken;
    private final RateLimiter wrong = RateLimiter.of(TokenBucket.perMinute(WRONG_PER_MINUTE));

    /**
     * Creates the access rules of a server with these options.
     *
     * @throws StartException if the token file cannot be used, or tokens are required and there is none
     */
    public Access(ServerOptions options) {
        AccessOptions access = options.access();
        this.hosts = new AllowedHosts(options.host(), access.allowedHosts());
        this.origins = new AllowedOrigins(access.corsOrigins(), options.tls() != null);
        this.tokens = new Tokens(options.adminToken(), access.tokens());
        this.requiresToken = access.requireToken();
        if (requiresToken && tokens.isEmpty() && !tokens.hasFile()) {
            throw new StartException(
                    StartException.Cause.CONFIGURATION,
                    "--require-token needs tokens; give them with --tokens FILE or --admin-token-file FILE",
                    null);
        }
    }

    public Tokens tokens() {
        return tokens;
    }

    @Override
    public void close() {
        wrong.close();
    }

    /** Returns if the request may use the route; throws a {@link ProblemException} otherwise. */
    void check(Exchange exchange, RouteAccess need) {
        if (need == RouteAccess.NOTHING) {
            return;
        }
        hosts.check(exchange);
        AccessRole role = need.role();
        if (role == null) {
            return;
        }
        origins.check(exchange, need);
        if (takesToken(need)) {
            checkToken(exchange, need, role);
        }
    }

    /**
     * Returns why a call outside HTTP may not decide, after {@link CachedAccess#mayDecide} has returned false.
     *
     * @param authorization the value of the call's {@code authorization} metadata; null for none
     * @param client the address for which wrong tokens are counted
     */
    public ProblemException whyNoDecision(@Nullable String authorization, String client) {
        String presented = authorization == null ? null : bearer(authorization);
        AccessToken token = presented == null ? null : tokens.find(presented);
        if (token != null) {
            return forbidden(token, AccessRole.DECIDE);
        }
        return presented != null && countWrong(client) != null ? tooManyWrong() : noToken();
    }

    /** Returns whether the request is a CORS preflight of a page that may use the route. */
    boolean isPreflight(Exchange exchange, RouteAccess need) {
        return need.role() != null && hosts.contain(exchange.authority()) && origins.isPreflight(exchange);
    }

    private boolean takesToken(RouteAccess need) {
        return switch (need) {
            case NOTHING, NAME -> false;
            case DECIDE, AUTHORIZE, SOCKET -> requiresToken;
            case READ -> requiresToken || tokens.hasFile();
            case ADMIN_READ, OPERATE, ADMIN -> true;
        };
    }

    private void checkToken(Exchange exchange, RouteAccess need, AccessRole role) {
        if (tokens.isEmpty()) {
            throw ProblemException.of(
                    403,
                    "admin_disabled",
                    "the admin API is off; start the server with --admin-token-file FILE or --tokens FILE, or set"
                            + " WEIR_ADMIN_TOKEN (--admin-token shows in the list of processes)");
        }
        String presented = presented(exchange, need);
        if (presented == null) {
            throw unauthorized(exchange);
        }
        AccessToken token = tokens.find(presented);
        if (token == null) {
            Duration wait = countWrong(exchange.client());
            if (wait != null) {
                exchange.response()
                        .putHeader(HeaderName.RETRY_AFTER, Long.toString(Math.max(1, HttpDecision.wholeSeconds(wait))));
                throw tooManyWrong();
            }
            throw unauthorized(exchange);
        }
        if (!token.role().covers(role)) {
            throw forbidden(token, role);
        }
        exchange.calledBy(token.name(), tokens.validity(token));
    }

    private static @Nullable String presented(Exchange exchange, RouteAccess need) {
        String authorization = exchange.header("Authorization");
        if (authorization != null) {
            return bearer(authorization);
        }
        String protocols = need == RouteAccess.SOCKET ? exchange.header("Sec-WebSocket-Protocol") : null;
        for (String protocol : protocols == null ? new String[0] : protocols.split(",", -1)) {
            if (protocol.trim().startsWith(SUBPROTOCOL_TOKEN)) {
                return protocol.trim().substring(SUBPROTOCOL_TOKEN.length());
            }
        }
        return null;
    }

    private static @Nullable String bearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).trim()
                : null;
    }

    private static ProblemException forbidden(AccessToken token, AccessRole role) {
        return ProblemException.of(
                403,
                "forbidden",
                "the token '" + token.name() + "' has the role " + token.role() + "; this needs " + role);
    }

    /** Counts a wrong token; returns how long the client must wait if it has sent too many, else null. */
    private @Nullable Duration countWrong(String client) {
        if (wrong.peek(client) instanceof Reading.Refused refused) {
            return refused.retryAfter();
        }
        wrong.tryConsume(client);
        return null;
    }

    private static ProblemException tooManyWrong() {
        return ProblemException.of(429, "rate_limited", "too many attempts with a wrong token; wait");
    }

    private static ProblemException noToken() {
        return ProblemException.of(401, "unauthorized", "send a valid token as 'Authorization: Bearer TOKEN'");
    }

    private static ProblemException unauthorized(Exchange exchange) {
        exchange.response().putHeader("WWW-Authenticate", "Bearer realm=\"weir\"");
        return noToken();
    }

    /**
     * Per-connection cache of the last admitted token and host, for the fast path of a check. Belongs to its
     * connection's event loop. It rejects anything unusual, which then takes the slow path.
     */
    public final class CachedAccess {
        private @Nullable String host;
        private @Nullable String authorization;
        private @Nullable Object version;

        public boolean mayCheck(HttpHeaders headers) {
            return !headers.contains(HttpHeaderNames.ORIGIN)
                    && (hosts.isAny() || isAllowedHost(headers.get(HttpHeaderNames.HOST)))
                    && (!requiresToken || isAllowedToken(headers.get(HttpHeaderNames.AUTHORIZATION)));
        }

        /** Returns whether a call outside HTTP with this {@code authorization} may decide. */
        public boolean mayDecide(@Nullable String given) {
            return !requiresToken || isAllowedToken(given);
        }

        private boolean isAllowedHost(@Nullable String given) {
            if (given != null && given.equals(host)) {
                return true;
            }
            host = hosts.contain(given) ? given : null;
            return host != null;
        }

        /**
         * A plain comparison reveals nothing to a client: the cached value is one that this connection has sent itself.
         */
        private boolean isAllowedToken(@Nullable String given) {
            Object now = tokens.version();
            if (given != null && given.equals(authorization) && now == version) {
                return true;
            }
            String presented = given == null ? null : bearer(given);
            AccessToken token = presented == null ? null : tokens.find(presented);
            boolean isAllowed = token != null && token.role().covers(AccessRole.DECIDE);
            authorization = isAllowed ? given : null;
            version = now;
            return isAllowed;
        }
    }
}
