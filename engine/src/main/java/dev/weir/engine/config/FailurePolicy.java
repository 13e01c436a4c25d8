package dev.weir.engine.config;

/** The decision of a limit when its store does not answer; the value of {@code on-store-failure}. */
public enum FailurePolicy implements ConfigSpelling {
    /** Refuse the request: the limit fails secure. */
    DENY,
    /** Allow the request: the limit fails open. */
    ALLOW;

    @Override
    public String toString() {
        return text();
    }
}
