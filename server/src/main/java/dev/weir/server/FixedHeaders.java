package dev.weir.server;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/** The headers that do not depend on what is asked, which keep answers safe. */
final class FixedHeaders {
    static final CharSequence JSON_TYPE = HttpHeaders.createOptimized("application/json");
    static final CharSequence PROBLEM_TYPE = HttpHeaders.createOptimized("application/problem+json");

    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF_VALUE = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
    private static final CharSequence POLICY = HttpHeaders.createOptimized("Content-Security-Policy");
    private static final CharSequence NOTHING =
            HttpHeaders.createOptimized("default-src 'none'; frame-ancestors 'none'");

    private FixedHeaders() {}

    /** On every answer: it is data, for the one who asked, and no page. */
    static void makeSafe(HttpServerResponse response) {
        response.headers()
                .add(NO_SNIFF, NO_SNIFF_VALUE)
                .add(HttpHeaders.CACHE_CONTROL, NO_STORE)
                .add(POLICY, NOTHING);
    }

    /** The same as text, behind a status line: the beginning of an answer of HTTP/1.1. */
    static String head(int status, CharSequence type) {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + ' ' + Status.title(status) + "\r\n");
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
