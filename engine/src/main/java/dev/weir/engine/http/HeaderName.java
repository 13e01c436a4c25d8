package dev.weir.engine.http;

/** The names of a decision's headers. */
public final class HeaderName {
    public static final String LIMIT = "X-RateLimit-Limit";
    public static final String REMAINING = "X-RateLimit-Remaining";
    public static final String RESET = "X-RateLimit-Reset";
    public static final String POLICY = "RateLimit-Policy";
    public static final String STATE = "RateLimit";
    public static final String RETRY_AFTER = "Retry-After";
    public static final String WARNING = "X-RateLimit-Warning";

    private HeaderName() {}
}
