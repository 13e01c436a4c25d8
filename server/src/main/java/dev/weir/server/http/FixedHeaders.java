package dev.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/** Security headers that are the same for every response. */
public final class FixedHeaders {
    public static final CharSequence JSON_TYPE = HttpHeaders.createOptimized("application/json");
    public static final CharSequence PROBLEM_TYPE = HttpHeaders.createOptimized("application/problem+json");

    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF_VALUE = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
    private static final CharSequence POLICY = HttpHeaders.createOptimized("Content-Security-Policy");
    private static final CharSequence NOTHING =
            HttpHeaders.createOptimized("default-src 'none'; frame-ancestors 'none'");

    private FixedHeaders() {}

    /** Adds the headers of every response: it is data for this caller, not a page, and must not be cached. */
    static void makeSafe(HttpServerResponse response) {
        response.headers()
                .add(NO_SNIFF, NO_SNIFF_VALUE)
                .add(HttpHeaders.CACHE_CONTROL, NO_STORE)
                .add(POLICY, NOTHING);
    }

    /** Returns a status line with the same headers as text: the beginning of an HTTP/1.1 response. */
    public static String head(int status, CharSequence type) {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + ' ' + StatusReason.title(status) + "\r\n");
        line(head, HttpHeaders.CONTENT_TYPE, type);
        line(head, NO_SNIFF, NO_SNIFF_VALUE);
        line(head, HttpHeaders.CACHE_CONTROL, NO_STORE);
        line(head, POLICY, NOTHING);
        return head.toString();
    }

    private static void line(StringBuilder head, CharSequence name, CharSequence value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }
}
