package dev.weir.engine;

/** Why a request was decided as it was. */
public enum Reason {
    /** Nothing stood in the way, or nothing applied. */
    ALLOWED,
    /** A limit is used up for now. */
    LIMITED,
    /** Waiting does not help: the cost is above a limit's capacity, or an attribute is missing that a limit needs. */
    IMPOSSIBLE,
    /** The store did not answer, and a limit that applies fails secure. */
    UNAVAILABLE,
    /** The subject must wait out the backoff for its earlier violations. */
    PENALIZED
}
