package dev.weir.engine.config;

/** What happens to a request whose path servers read differently; the value of {@code paths.ambiguous}. */
public enum AmbiguousPaths implements Spelled {
    /** Every limit applies that one of its readings matches. */
    COUNT_ALL,
    /** The request is refused as malformed. */
    REFUSE;

    @Override
    public String toString() {
        return text();
    }
}
