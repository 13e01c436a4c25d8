package dev.weir.server.http;

import dev.weir.engine.http.HttpDecision;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The origins of web pages that may use the API: the server's own and the given ones. A browser sends the page's origin
 * with every request that can change something. A request without an origin does not come from a page.
 */
public final class AllowedOrigins {
    private static final List<String> FORWARDED =
            List.of("X-Forwarded-For", "Forwarded", "X-Forwarded-Uri", "X-Forwarded-Method", "X-Forwarded-Host");

    private final Set<String> given;
    private final boolean isTls;

    AllowedOrigins(List<String> given, boolean isTls) {
        this.given = Set.copyOf(given);
        this.isTls = isTls;
    }

    /**
     * Returns an origin in the form that browsers send.
     *
     * @throws IllegalArgumentException if it is not an origin
     */
    public static String parse(String given) {
        String origin = plain(given);
        if (origin.isEmpty()) {
            throw new IllegalArgumentException("--cors-origin is '" + LogSafeText.text(given)
                    + "'; it must be a scheme and a host, such as https://shop.example or http://localhost:3000");
        }
        return origin;
    }

    /**
     * Refuses pages of other origins, and lets pages of the given ones read the response.
     *
     * @param need what the route requires; the headers of a forward-auth request describe the proxy's client, not a
     *     page
     */
    void check(Exchange exchange, RouteAccess need) {
        if (need == RouteAccess.AUTHORIZE && isForwarded(exchange)) {
            return;
        }
        List<String> origins = exchange.request().headers().getAll("Origin");
        if (origins.isEmpty()) {
            checkSite(exchange, need);
            return;
        }
        String origin = origins.size() == 1 ? plain(origins.get(0)) : "";
        if (given.contains(origin)) {
            share(exchange.response(), origins.get(0));
        } else if (!isOwn(origin, exchange)) {
            throw refusal();
        }
    }

    /** Returns whether the request is a CORS preflight of an allowed origin. */
    boolean isPreflight(Exchange exchange) {
        String origin = exchange.header("Origin");
        return origin != null
                && exchange.header("Access-Control-Request-Method") != null
                && given.contains(plain(origin));
    }

    /** Requests for images, scripts and links have no Origin header; browsers send {@code Sec-Fetch-Site} instead. */
    private static void checkSite(Exchange exchange, RouteAccess need) {
        String site = exchange.header("Sec-Fetch-Site");
        boolean isElsewhere = "cross-site".equals(site) || "same-site".equals(site);
        if (isElsewhere && need == RouteAccess.AUTHORIZE) {
            throw refusal();
        }
    }

    /** A page cannot send one of these headers to another origin unless CORS allows it. */
    private static boolean isForwarded(Exchange exchange) {
        return exchange.comesFromProxy() && FORWARDED.stream().anyMatch(name -> exchange.header(name) != null);
    }

    /** Behind a proxy that terminates TLS, the page's scheme differs from the server's. */
    private boolean isOwn(String origin, Exchange exchange) {
        String authority = exchange.authority();
        if (origin.isEmpty() || authority == null || (isTls && !origin.startsWith("https://"))) {
            return false;
        }
        String scheme = origin.substring(0, origin.indexOf("//") + 2);
        return origin.equals(plain(scheme + authority));
    }

    private static void share(HttpServerResponse response, String origin) {
        response.headers()
                .add(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin)
                .add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, HttpDecision.EXPOSED)
                .add(HttpHeaders.VARY, "Origin");
    }

    private static ProblemException refusal() {
        return ProblemException.of(
                403,
                "origin_not_allowed",
                "pages of another origin may not use this server; if they should, start it with --cors-origin ORIGIN");
    }

    /** Returns the origin in lower case without the default port; empty if it is not the origin of a web page. */
    private static String plain(String origin) {
        try {
            URI uri = new URI(origin);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean isWeb = scheme.equals("http") || scheme.equals("https");
            String host = uri.getHost();
            boolean isBare = uri.getRawUserInfo() == null
                    && String.valueOf(uri.getRawPath()).isEmpty()
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
            if (!isWeb || host == null || !isBare) {
                return "";
            }
            boolean isUsual = uri.getPort() < 0 || uri.getPort() == (scheme.equals("http") ? 80 : 443);
            return scheme + "://" + host.toLowerCase(Locale.ROOT) + (isUsual ? "" : ":" + uri.getPort());
        } catch (URISyntaxException e) {
            return "";
        }
    }
}
