package dev.weir.server;

import dev.weir.engine.http.DecisionText;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The web pages that may use the API: those of the server's own origin, and of the origins that were given. A browser sends
 * the page's origin with every request that can change something; what comes without one comes from no page.
 */
final class AllowedOrigins {
    private static final List<String> FORWARDED =
            List.of("X-Forwarded-For", "Forwarded", "X-Forwarded-Uri", "X-Forwarded-Method", "X-Forwarded-Host");

    private final Set<String> given;
    private final boolean isTls;

    AllowedOrigins(List<String> given, boolean isTls) {
        this.given = Set.copyOf(given);
        this.isTls = isTls;
    }

    /**
     * An origin as browsers send it.
     *
     * @throws IllegalArgumentException if it is none
     */
    static String parse(String given) {
        String origin = plain(given);
        if (origin.isEmpty()) {
            throw new IllegalArgumentException("--cors-origin is '" + Shown.text(given)
                    + "'; it must be a scheme and a host, such as https://shop.example or http://localhost:3000");
        }
        return origin;
    }

    /**
     * Refuses pages of other origins, and lets those that were given read the answer.
     *
     * @param need what the route needs; forward auth that a proxy asks for tells of the proxy's client, not of a page
     */
    void check(Exchange exchange, Need need) {
        if (need == Need.AUTHORIZE && isForwarded(exchange)) {
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

    /** Answers the question that a browser asks before a page's request. */
    boolean isPreflight(Exchange exchange) {
        String origin = exchange.header("Origin");
        return origin != null
                && exchange.header("Access-Control-Request-Method") != null
                && given.contains(plain(origin));
    }

    /** Images, scripts and links have no origin; browsers say instead whether they are of another site. */
    private static void checkSite(Exchange exchange, Need need) {
        String site = exchange.header("Sec-Fetch-Site");
        boolean isElsewhere = "cross-site".equals(site) || "same-site".equals(site);
        if (isElsewhere && need == Need.AUTHORIZE) {
            throw refusal();
        }
    }

    /** No page can send one of these headers to another origin unless it is allowed to. */
    private static boolean isForwarded(Exchange exchange) {
        return exchange.comesFromProxy() && FORWARDED.stream().anyMatch(name -> exchange.header(name) != null);
    }

    /** Behind a proxy that speaks TLS, the page's scheme is another than ours. */
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
                .add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, DecisionText.EXPOSED)
                .add(HttpHeaders.VARY, "Origin");
    }

    private static Problem refusal() {
        return Problem.of(
                403,
                "origin_not_allowed",
                "pages of another origin may not use this server; if they should, start it with --cors-origin ORIGIN");
    }

    /** In lower case and without the usual port; empty for what is no origin of a web page. */
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
