package dev.weir.engine.config;

/**
 * The decision of a limit on a request that it matches and that lacks an attribute of its key; the value of {@code
 * on-missing}.
 */
public enum MissingPolicy implements ConfigSpelling {
    /** The limit does not apply to the request. */
    SKIP,
    /** The limit refuses the request. */
    DENY;

    @Override
    public String toString() {
        return text();
    }
}
