package dev.weir.engine;

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
    PENALIZED
}
