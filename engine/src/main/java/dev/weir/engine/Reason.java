package dev.weir.engine;

import java.util.Locale;

/** The reason of an outcome. */
public enum Reason {
    /** All limits that apply admitted the request, or none applied. */
    ALLOWED,
    /** A limit is used up for now. */
    LIMITED,
    /** Waiting does not help: the cost exceeds a limit's capacity, or an attribute is missing that a limit needs. */
    IMPOSSIBLE,
    /** The store did not answer, and a limit that applies fails secure. */
    UNAVAILABLE,
    /** The subject is in the backoff for its earlier violations. */
    PENALIZED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The name in the HTTP API, events, metrics and the dashboard: {@code limited}, {@code penalized} … */
    public String text() {
        return text;
    }
}
