package dev.weir.engine.config;

/** The treatment of a request whose path servers read differently; the value of {@code paths.ambiguous}. */
public enum AmbiguousPaths implements ConfigSpelling {
    /** Every limit applies that matches one of the readings. */
    COUNT_ALL,
    /** The request is refused as malformed. */
    REFUSE;

    @Override
    public String toString() {
        return text();
    }
}
