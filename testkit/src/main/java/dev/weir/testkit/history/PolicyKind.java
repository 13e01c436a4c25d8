package dev.weir.testkit.history;

/** The algorithms. */
public enum PolicyKind {
    TOKEN_BUCKET,
    FIXED_WINDOW,
    CALENDAR_WINDOW,
    SLIDING_WINDOW,
    STREAK,
    CONCURRENCY,
    CLOSED
}
